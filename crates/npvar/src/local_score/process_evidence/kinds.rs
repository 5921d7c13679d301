//! How parents act: each of a node's parents is of one of three kinds, and how common these are is learned over all nodes.

use super::split::Split;

/// The shares from the outset: being in both sets is half as likely as being in either alone.
const BEFORE: [f64; 3] = [0.4, 0.4, 0.2];
/// They are believed as firmly as if so many parents had been seen.
const FIRMNESS: f64 = 5.0;

/// The shares of parents that are in `T` alone, in `S` alone, and in both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Kinds {
    shares: [f64; 3],
}

impl Default for Kinds {
    fn default() -> Self {
        Kinds { shares: BEFORE }
    }
}

impl Kinds {
    /// The shares of highest probability for the parents of all nodes, whose prior is Dirichlet's.
    pub(super) fn learned(splits: &[Split]) -> Self {
        let mut shares = BEFORE.map(|share| FIRMNESS * share);
        for split in splits {
            shares.iter_mut().zip(counts(split)).for_each(|(share, count)| *share += count);
        }
        let all: f64 = shares.iter().sum();
        Kinds { shares: shares.map(|share| share / all) }
    }

    /// What it costs that the parents of a split are of the kinds they are.
    pub(super) fn price(&self, split: &Split) -> f64 {
        -counts(split).iter().zip(self.shares).map(|(count, share)| count * share.ln()).sum::<f64>()
    }

    /// What the shares cost themselves, over those from the outset.
    pub(super) fn own_price(&self) -> f64 {
        -self.shares.iter().zip(BEFORE).map(|(share, before)| FIRMNESS * before * (share / before).ln()).sum::<f64>()
    }
}

/// How many parents are of each kind.
fn counts(split: &Split) -> [f64; 3] {
    let both = split.additive.iter().filter(|node| split.joint.binary_search(node).is_ok()).count() as f64;
    [split.additive.len() as f64 - both, split.joint.len() as f64 - both, both]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(additive: &[usize], joint: &[usize]) -> Split {
        Split { additive: additive.to_vec(), joint: joint.to_vec() }
    }

    #[test]
    fn prices_are_those_of_the_shares_counted() {
        let nothing = Kinds::learned(&[]);
        assert!((nothing.price(&split(&[0, 1], &[1, 2])) - 31.25_f64.ln()).abs() < 1e-12);
        assert!(nothing.own_price().abs() < 1e-12);
        // Ten joint ones, and 2, 2 and 1 from the outset.
        let joint = Kinds::learned(&[split(&[], &[0, 1, 2, 3]), split(&[], &[0, 1, 2, 4, 5, 6])]);
        assert!((joint.price(&split(&[3], &[])) - 7.5_f64.ln()).abs() < 1e-12);
        assert!((joint.price(&split(&[], &[3])) - 1.25_f64.ln()).abs() < 1e-12);
        assert!(joint.own_price() > 0.0);
    }
}
