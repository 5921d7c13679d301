//! What `cargo xtask compare-peers` runs: every learner with a public implementation, on which data, with which options.

/// One learner against one peer.
pub(crate) struct Case {
    pub(crate) learner: &'static str,
    /// Our options: those of the peer's call in `benchmarks/peers.py` or `peers.R`, or our defaults for the same task.
    pub(crate) settings: &'static [&'static str],
    pub(crate) peer: &'static str,
    pub(crate) runtime: Runtime,
    /// Settings of `npvar simulate`.
    pub(crate) data: &'static [&'static str],
    pub(crate) nodes: &'static [usize],
    pub(crate) samples: usize,
    pub(crate) clock: Clock,
    pub(crate) score: Option<Score>,
    pub(crate) promise: Promise,
}

/// What is stated of the two answers; where one breaks it, `compare-peers` and `bench` fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// The same graph.
    Graph,
    /// The same order.
    Order,
    /// The same order and the same graph.
    OrderAndGraph,
    /// The same graph, or one with a score that is not lower.
    Score,
    /// Nothing: regressions, optimisers or tests differ between the two.
    Nothing,
}

/// What runs the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runtime {
    /// A virtual environment, by its name; see [`requirements`](Runtime::requirements).
    Python(&'static str),
    R,
}

/// Which part of our work is the peer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    Learning,
    /// The order search alone.
    Order,
}

/// A score that both graphs get from the same program, higher being better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Score {
    Bic,
    CrossValidated,
}

impl Score {
    /// Its name in `benchmarks/peers.py`, and the environment it needs.
    pub(crate) fn program(self) -> (&'static str, Runtime) {
        match self {
            Score::Bic => ("score-bic", CURRENT),
            Score::CrossValidated => ("score-cv", NUMPY1),
        }
    }
}

/// lingam's choices, but for its regression.
const LINGAM: &[&str] =
    &["parents=independence", "weakest=statistic", "hsic.width=first-100", "hsic.null-variance=joint"];

pub(crate) const CURRENT: Runtime = Runtime::Python("current");
const NUMPY1: Runtime = Runtime::Python("numpy1");
const TORCH: Runtime = Runtime::Python("torch");

impl Runtime {
    /// The file in `benchmarks` that lists an environment's packages.
    pub(crate) fn requirements(environment: &str) -> String {
        if environment == "current" {
            "requirements.txt".to_string()
        } else {
            format!("requirements-{environment}.txt")
        }
    }
}

const LINEAR: &[&str] = &["ER-LIN-1", "ER-LIN-4"];
const SINE: &[&str] = &["ER-SIN-1", "ER-SIN-4"];

/// A case at d = 20, n = 1000 without a score, to be changed by the fields that differ.
const fn case(learner: &'static str, settings: &'static [&'static str], peer: &'static str, runtime: Runtime) -> Case {
    Case {
        learner,
        settings,
        peer,
        runtime,
        data: SINE,
        nodes: &[20],
        samples: 1000,
        clock: Clock::Learning,
        score: None,
        promise: Promise::Nothing,
    }
}

/// PC and GES: linear data, 20 and 40 nodes.
const fn linear(case: Case, score: Option<Score>, promise: Promise) -> Case {
    Case { data: LINEAR, nodes: &[20, 40], score, promise, ..case }
}

/// causal-learn's rules of orientation, which matter where tests contradict each other.
const CAUSAL_LEARN: &[&str] = &["separating-sets=all", "conflicts=keep-first", "rules=causal-learn"];
const BIC: Option<Score> = Some(Score::Bic);

pub(crate) const CASES: &[Case] = &[
    linear(case("pc", &["preset=reference"], "pc-pcalg", Runtime::R), None, Promise::Graph),
    linear(case("pc", CAUSAL_LEARN, "pc-causal-learn", CURRENT), None, Promise::Graph),
    Case { nodes: &[10, 20], ..linear(case("fci", &[], "fci-causal-learn", CURRENT), None, Promise::Nothing) },
    linear(case("ges", &["phases=turning"], "ges-pcalg", Runtime::R), BIC, Promise::Graph),
    linear(case("ges", &["phases=forward-backward"], "ges-pcalg-two-phases", Runtime::R), BIC, Promise::Graph),
    linear(case("ges", &["phases=forward-backward"], "ges-causal-learn", CURRENT), BIC, Promise::Graph),
    linear(case("ges", &["phases=turning"], "ges-pypi", CURRENT), BIC, Promise::Score),
    Case {
        data: &["ER-SIN-1"],
        nodes: &[10],
        samples: 200,
        score: Some(Score::CrossValidated),
        promise: Promise::Score,
        ..case("gsges", &[], "gsges-causal-learn", NUMPY1)
    },
    case("cam", &["neighbourhood-selection=none", "pruning=own"], "cam-r", Runtime::R),
    Case {
        promise: Promise::OrderAndGraph,
        ..case("cam", &["preset=reference", "neighbourhood-selection=boosting"], "cam-r-pns", Runtime::R)
    },
    case("cam", &["pruning=own"], "cam-r-pns", Runtime::R),
    case("cam", &["neighbourhood-selection=none"], "cam-dodiscover", NUMPY1),
    case("resit", &["preset=reference", "parents=independence"], "resit-codeanm", Runtime::R),
    case("resit", LINGAM, "resit-lingam", CURRENT),
    Case {
        data: LINEAR,
        nodes: &[20, 40],
        promise: Promise::Order,
        ..case("direct-lingam", &[], "direct-lingam", CURRENT)
    },
    Case { data: LINEAR, ..case("notears", &[], "notears", TORCH) },
    Case { data: LINEAR, ..case("notears", &[], "notears-gcastle", TORCH) },
    case("notears-mlp", &[], "notears-mlp", TORCH),
    case("notears-mlp", &[], "notears-mlp-gcastle", TORCH),
    Case { clock: Clock::Order, promise: Promise::Order, ..case("score", &[], "score-dodiscover-order", NUMPY1) },
    Case { promise: Promise::Order, ..case("score", &[], "score-dodiscover", NUMPY1) },
    Case { promise: Promise::Order, ..case("das", &[], "das-dodiscover", NUMPY1) },
    Case {
        nodes: &[10],
        samples: 500,
        clock: Clock::Order,
        promise: Promise::Order,
        ..case("nogam", &["preset=reference"], "nogam-dodiscover-order", NUMPY1)
    },
];
