//! Axes: where ticks stand, and how numbers become positions.

/// How values are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Evenly.
    Linear,
    /// Evenly by their logarithms.
    Logarithmic,
}

/// An axis from one value to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    spread: Spread,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that holds both values; a logarithmic one holds whole decades.
    pub fn new(spread: Spread, from: f64, to: f64) -> Axis {
        match spread {
            Spread::Linear if to > from => Axis { spread, from, to },
            Spread::Linear => Axis { spread, from: from - 0.5, to: from + 0.5 },
            // At least a decade, and whole ones.
            Spread::Logarithmic => {
                let (low, high) = (from.log10().floor(), to.log10().ceil());
                Axis { spread, from: low, to: high.max(low + 1.0) }
            }
        }
    }

    /// Where a value stands, from 0 to 1.
    pub fn place(&self, value: f64) -> f64 {
        let value = match self.spread {
            Spread::Linear => value,
            Spread::Logarithmic => value.max(f64::MIN_POSITIVE).log10(),
        };
        (value - self.from) / (self.to - self.from)
    }

    /// About `count` round values, with their texts.
    pub fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        match self.spread {
            Spread::Linear => {
                let step = round_step((self.to - self.from) / count as f64);
                let digits = (-step.log10().floor()).max(0.0) as usize;
                let (first, last) = ((self.from / step - 1e-9).ceil() as i64, (self.to / step + 1e-9).floor() as i64);
                (first..=last)
                    .map(|at| at as f64 * step)
                    .map(|value| (value, format!("{:.digits$}", if value == 0.0 { 0.0 } else { value })))
                    .collect()
            }
            Spread::Logarithmic => {
                let (low, high) = (self.from as i32, self.to as i32);
                let every = ((high - low) as usize).div_ceil(count).max(1);
                (low..=high).step_by(every).map(|power| (10_f64.powi(power), decade(power))).collect()
            }
        }
    }
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].map(|factor| factor * power).into_iter().find(|step| *step >= least * 0.999).unwrap_or(10.0 * power)
}

fn decade(power: i32) -> String {
    match power {
        -3..=0 => format!("{:.*}", power.unsigned_abs() as usize, 10_f64.powi(power)),
        1..=4 => format!("{}", 10_i64.pow(power.unsigned_abs())),
        _ => format!("1e{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let texts = |axis: Axis, count| axis.ticks(count).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(Axis::new(Spread::Linear, 0.0, 37.0), 4), ["0", "10", "20", "30"]);
        assert_eq!(texts(Axis::new(Spread::Linear, -0.03, 1.03), 4), ["0.0", "0.5", "1.0"]);
        assert_eq!(texts(Axis::new(Spread::Logarithmic, 0.002, 30.0), 6), ["0.001", "0.01", "0.1", "1", "10", "100"]);
        assert_eq!(Axis::new(Spread::Linear, 0.0, 4.0).place(1.0), 0.25);
    }
}
