//! What is measured: sizes, files, repetitions.

/// A size of the simulated setting, its files and how often each is run.
pub(crate) struct Size {
    pub(crate) nodes: usize,
    pub(crate) samples: usize,
    pub(crate) files: u64,
    pub(crate) repetitions: usize,
}

/// Cases of `compare-peers`, by the name of the peer.
pub(crate) struct Race {
    pub(crate) peer: &'static str,
    pub(crate) data: &'static [&'static str],
    pub(crate) nodes: &'static [usize],
    pub(crate) repetitions: usize,
}

pub(crate) struct Plan {
    pub(crate) against_r: Vec<Size>,
    pub(crate) library: Vec<Size>,
    /// Rows of the Parquet files.
    pub(crate) streams: Vec<u64>,
    pub(crate) races: Vec<Race>,
    /// Seconds that a peer may take.
    pub(crate) limit: u64,
}

const fn size(nodes: usize, samples: usize, files: u64, repetitions: usize) -> Size {
    Size { nodes, samples, files, repetitions }
}

const LINEAR: &[&str] = &["ER-LIN-1", "ER-LIN-4"];
const SINE: &[&str] = &["ER-SIN-1", "ER-SIN-4"];

const fn race(peer: &'static str, data: &'static [&'static str], nodes: &'static [usize], repetitions: usize) -> Race {
    Race { peer, data, nodes, repetitions }
}

impl Plan {
    /// Everything the pages claim, in half an hour at most; peers that need longer are `compare-peers`'.
    pub(crate) fn whole() -> Self {
        Plan {
            against_r: vec![size(20, 1000, 3, 1), size(40, 1000, 1, 1)],
            library: vec![
                size(20, 1000, 1, 300),
                size(40, 1000, 1, 100),
                size(200, 2000, 1, 5),
                size(1000, 5000, 1, 1),
            ],
            streams: vec![50_000_000],
            races: vec![
                race("pc-pcalg", LINEAR, &[20, 40], 3),
                race("pc-causal-learn", LINEAR, &[20, 40], 3),
                race("ges-pcalg", LINEAR, &[20, 40], 3),
                race("ges-causal-learn", LINEAR, &[20], 1),
                race("gsges-causal-learn", &["ER-SIN-1"], &[10], 1),
                // Both scores: R's own, which is like with like, and the default.
                race("cam-r-pns", SINE, &[20], 1),
                race("direct-lingam", LINEAR, &[20, 40], 3),
                race("notears", &["ER-LIN-1"], &[20], 3),
                race("score-dodiscover-order", SINE, &[20], 1),
                race("score-dodiscover", SINE, &[20], 1),
            ],
            limit: 180,
        }
    }

    /// The command tried in a minute or two.
    pub(crate) fn quick() -> Self {
        Plan {
            against_r: vec![size(10, 1000, 1, 1)],
            library: vec![size(20, 1000, 1, 20)],
            streams: vec![200_000],
            races: vec![race("pc-pcalg", &["ER-LIN-1"], &[20], 1)],
            limit: 60,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CASES;

    #[test]
    fn every_race_is_a_case_of_compare_peers() {
        for race in Plan::whole().races.iter().chain(&Plan::quick().races) {
            let cases: Vec<_> = CASES.iter().filter(|case| case.peer == race.peer).collect();
            assert!(!cases.is_empty(), "{}", race.peer);
            for case in cases {
                assert!(race.data.iter().all(|setting| case.data.contains(setting)), "{}", race.peer);
                assert!(race.nodes.iter().all(|nodes| case.nodes.contains(nodes)), "{}", race.peer);
            }
        }
    }
}
