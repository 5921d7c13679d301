//! The numbers of a node's covariance: two amplitudes and two lengths, and what is believed of them beforehand.

/// How far a node's logarithms are from those in common, as a standard deviation.
const SPREAD: f64 = 0.5;
/// How far the logarithms in common are from those of [`Numbers::default`].
const COMMON_SPREAD: f64 = 1.5;
/// Twice the length is a quarter of `m`.
const LONGER: f64 = 2.0 * std::f64::consts::LN_2;
/// The logarithms stay within these: beyond them a function is a constant, a straight line or noise.
pub(super) const RANGE: (f64, f64) = (-7.0, 7.0);

/// The logarithms of `a`, `l`, `b`, `m`: amplitudes over the noise variance, inverse squared lengths over the scale of columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numbers {
    pub(super) logs: [f64; 4],
}

impl Default for Numbers {
    /// Functions of twice the noise's variance that bend once within a standard deviation.
    fn default() -> Self {
        Numbers { logs: [2.0_f64.ln(), 0.0, 2.0_f64.ln(), 0.0] }
    }
}

impl Numbers {
    pub(super) fn a(&self) -> f64 {
        self.logs[0].exp()
    }

    pub(super) fn l(&self) -> f64 {
        self.logs[1].exp()
    }

    pub(super) fn b(&self) -> f64 {
        self.logs[2].exp()
    }

    pub(super) fn m(&self) -> f64 {
        self.logs[3].exp()
    }

    /// The same with joint functions of twice the length.
    pub(super) fn with_longer_joint(&self) -> Self {
        let mut longer = *self;
        longer.logs[3] -= LONGER;
        longer
    }

    /// Minus the logarithm of the prior of a node's numbers, up to a constant.
    pub(super) fn price_around(&self, common: &Numbers) -> f64 {
        square_distance(self, common) / (2.0 * SPREAD * SPREAD)
    }

    /// Its slopes by the logarithms.
    pub(super) fn slopes_around(&self, common: &Numbers) -> [f64; 4] {
        std::array::from_fn(|i| (self.logs[i] - common.logs[i]) / (SPREAD * SPREAD))
    }

    /// The same of numbers in common.
    pub(super) fn common_price(&self) -> f64 {
        square_distance(self, &Numbers::default()) / (2.0 * COMMON_SPREAD * COMMON_SPREAD)
    }

    /// The numbers in common that are likeliest for nodes with these; a node speaks for those of its numbers that `uses` says.
    pub(super) fn in_common(nodes: impl Iterator<Item = (Numbers, [bool; 4])> + Clone) -> Numbers {
        let before = Numbers::default();
        let [own, common] = [SPREAD, COMMON_SPREAD].map(|spread| 1.0 / (spread * spread));
        Numbers {
            logs: std::array::from_fn(|i| {
                let using = nodes.clone().filter(|(_, uses)| uses[i]).map(|(numbers, _)| numbers.logs[i]);
                let (count, sum) = using.fold((0.0, 0.0), |(count, sum), log| (count + 1.0, sum + log));
                (own * sum + common * before.logs[i]) / (own * count + common)
            }),
        }
    }
}

fn square_distance(one: &Numbers, other: &Numbers) -> f64 {
    one.logs.iter().zip(other.logs).map(|(one, other)| (one - other) * (one - other)).sum()
}
