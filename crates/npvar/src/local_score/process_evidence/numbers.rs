//! The numbers of a node's covariance: two amplitudes and two lengths, and what is believed of them beforehand.

/// How far the nodes' logarithms are from those in common, as a standard deviation, before anything is seen of it, and how
/// many nodes that is worth.
const SPREAD: (f64, f64) = (0.5, 2.0);
/// How far the logarithms in common are from those of [`Numbers::default`].
const COMMON_SPREAD: f64 = 1.5;
/// How often the logarithms in common and the spreads are improved in turn.
const TURNS: usize = 10;
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

    /// Minus the logarithm of the prior of a node's numbers, up to what depends on the spreads alone.
    pub(super) fn price_around(&self, common: &Common) -> f64 {
        (0..4).map(|i| (self.logs[i] - common.numbers.logs[i]).powi(2) / (2.0 * common.spreads[i].powi(2))).sum()
    }

    /// Its slopes by the logarithms.
    pub(super) fn slopes_around(&self, common: &Common) -> [f64; 4] {
        std::array::from_fn(|i| (self.logs[i] - common.numbers.logs[i]) / common.spreads[i].powi(2))
    }
}

/// What the nodes' numbers are around, and how far from it.
///
/// A logarithm of a node is normal around the common one, which is normal around that of [`Numbers::default`]; the variance of
/// the nodes' is inverse gamma. Nodes alike are held together, and nodes that differ are let be what they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Common {
    pub(super) numbers: Numbers,
    /// By number, a standard deviation.
    pub(super) spreads: [f64; 4],
    /// By number, how many nodes use it.
    count: [f64; 4],
}

impl Default for Common {
    fn default() -> Self {
        Common { numbers: Numbers::default(), spreads: [SPREAD.0; 4], count: [0.0; 4] }
    }
}

impl Common {
    /// The likeliest for nodes with these numbers; a node speaks for those of its numbers that `uses` says.
    pub(super) fn of(nodes: impl Iterator<Item = (Numbers, [bool; 4])> + Clone) -> Self {
        let (before, mut common) = (Numbers::default(), Common::default());
        for i in 0..4 {
            let logs: Vec<f64> =
                nodes.clone().filter(|(_, uses)| uses[i]).map(|(numbers, _)| numbers.logs[i]).collect();
            let (count, sum) = (logs.len() as f64, logs.iter().sum::<f64>());
            for _ in 0..TURNS {
                let [own, outer] = [common.spreads[i], COMMON_SPREAD].map(|spread| spread.powi(-2));
                let log = (own * sum + outer * before.logs[i]) / (own * count + outer);
                let squares: f64 = logs.iter().map(|own| (own - log).powi(2)).sum();
                common.numbers.logs[i] = log;
                common.spreads[i] = ((squares + SPREAD.1 * SPREAD.0.powi(2)) / (count + SPREAD.1)).sqrt();
            }
            common.count[i] = count;
        }
        common
    }

    /// Whether the spreads are within a twentieth of another's.
    pub(super) fn is_as_wide(&self, other: &Common) -> bool {
        self.spreads.iter().zip(other.spreads).all(|(one, other)| (one / other).ln().abs() < 0.05)
    }

    /// Minus the logarithm of the prior of what is in common, and of the nodes' numbers as far as it depends on the spreads
    /// alone; over that of the spreads from the outset.
    pub(super) fn price(&self) -> f64 {
        let before = Numbers::default();
        let price = |i: usize| {
            let distance = (self.numbers.logs[i] - before.logs[i]) / COMMON_SPREAD;
            let ratio = self.spreads[i] / SPREAD.0;
            0.5 * distance * distance
                + (self.count[i] + SPREAD.1) * ratio.ln()
                + 0.5 * SPREAD.1 * (ratio.powi(-2) - 1.0)
        };
        (0..4).map(price).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_common_is_likeliest() {
        let node = |i: usize| Numbers { logs: [0.1, -0.4, 1.3, 0.05].map(|log: f64| log * (i as f64 - 2.5)) };
        let nodes: Vec<(Numbers, [bool; 4])> = (0..6).map(|i| (node(i), [true, true, i > 1, true])).collect();
        // A node that does not use a number stands where all do.
        let price = |common: &Common| -> f64 {
            let own = |(numbers, uses): &(Numbers, [bool; 4])| {
                let logs = std::array::from_fn(|i| if uses[i] { numbers.logs[i] } else { common.numbers.logs[i] });
                Numbers { logs }.price_around(common)
            };
            common.price() + nodes.iter().map(own).sum::<f64>()
        };
        let common = Common::of(nodes.iter().copied());
        for i in 0..4 {
            for step in [-0.05, 0.05] {
                let mut moved = common;
                moved.numbers.logs[i] += step;
                assert!(price(&moved) > price(&common), "logarithm {i}");
                let mut moved = common;
                moved.spreads[i] *= f64::exp(step);
                assert!(price(&moved) > price(&common), "spread {i}");
            }
        }
        assert!(common.spreads[3] < common.spreads[2], "nodes alike are held together");
    }

    #[test]
    fn without_nodes_all_is_as_before() {
        let common = Common::of(std::iter::empty());
        let moved = |i: usize| (common.numbers.logs[i] - Numbers::default().logs[i]).abs();
        assert!((0..4).all(|i| moved(i) < 1e-12) && common.price().abs() < 1e-12);
    }
}
