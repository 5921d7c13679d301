//! Inner products and sums of long vectors.

/// Partial sums that do not wait for each other.
const LANES: usize = 8;

/// `x'y`, in eight interleaved sums.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let (y_lanes, y_rest) = y.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

/// `Σ x`, likewise.
pub(crate) fn sum(x: &[f64]) -> f64 {
    let (lanes, rest) = x.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for x in lanes {
        for lane in 0..LANES {
            sums[lane] += x[lane];
        }
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}
