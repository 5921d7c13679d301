//! CAM on simulated data: where it goes wrong as the paper says, awkward columns, progress and cancelling.

use std::sync::Mutex;

use npvar::data::Dataset;
use npvar::graph::Order;
use npvar::learner::{Assignment, CamConfig, CamScore, Input, Learned, LearnerConfig, LearnerConfig as Config};
use npvar::learner::{NeighbourhoodSelection, PSplineScore, Pruning, ThinPlateScore};
use npvar::regress::Smoothing;
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Error, Event, Flow, Observer, Run, Seed};

fn learn(config: CamConfig, data: &Dataset) -> Learned {
    Config::Cam(config).build().unwrap().learn(&Input::new(data), &Run::new(Seed(0))).unwrap()
}

/// In how many data sets each learner finds a topological order of the truth: CAM, NPVAR.
fn recovered(setting: &str, samples: usize, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let mut found = (0, 0);
    for seed in seeds {
        let options = SimulateOptions { samples, ..SimulateOptions::default() };
        let simulated = simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap();
        let cam = learn(CamConfig::default(), &simulated.data).order.unwrap();
        let npvar = npvar::learn(&simulated.data, &Run::new(Seed(seed))).unwrap().order.unwrap();
        found.0 += usize::from(simulated.truth.is_consistent_with(&cam));
        found.1 += usize::from(simulated.truth.is_consistent_with(&npvar));
    }
    found
}

/// The paper's functions, the perturbed linear model and our family of `h`. In 100 other seeds (1000 to 1099) CAM found no right order and
/// NPVAR no wrong one in any of the ten: each rate of the unexpected is below 0.045 with 99 % confidence, and more than 6 of
/// 25 then have a probability below 1e-4 in any of the twenty.
#[test]
fn the_papers_examples_mislead_cam_and_not_npvar() {
    let named = ["CAM-POW14", "CAM-SIN", "CAM-LIN", "CAM-DELTA-SIN", "CAM-DELTA-TANH"];
    let family = ["CAM2-POW14", "CAM2-SIN", "CAM2-LIN", "CAM2-TANH", "CAM2-SQRT"];
    for setting in named.into_iter().chain(family) {
        let (cam, npvar) = recovered(setting, 1000, 0..25);
        assert!(cam <= 6 && npvar >= 19, "{setting}: CAM is right {cam} times, NPVAR {npvar} times of 25");
    }
}

fn rough(seed: u64) -> Dataset {
    let options = SimulateOptions { nodes: Some(6), samples: 200, ..SimulateOptions::default() };
    simulate("ER-SIN-1".parse().unwrap(), &options, Seed(seed)).unwrap().data
}

fn every_option() -> Vec<CamConfig> {
    let splines = [Smoothing::Gcv, Smoothing::Reml, Smoothing::Fixed]
        .map(|smoothing| CamScore::PSpline(PSplineScore { smoothing, ..PSplineScore::default() }));
    let scores = splines.into_iter().chain([CamScore::ThinPlate(ThinPlateScore::default())]);
    scores
        .flat_map(|score| {
            [Pruning::Common, Pruning::Own, Pruning::None].into_iter().flat_map(move |pruning| {
                [NeighbourhoodSelection::Boosting, NeighbourhoodSelection::None].map(|neighbourhood_selection| {
                    CamConfig { score, pruning, neighbourhood_selection, ..CamConfig::default() }
                })
            })
        })
        .collect()
}

/// A constant, a copy, a linear function, two values, three values.
#[test]
fn awkward_columns_give_a_graph_with_every_option_and_are_named() {
    let plain = rough(1);
    let mut columns: Vec<Vec<f64>> = (0..3).map(|j| plain.column(j).to_vec()).collect();
    columns.push(vec![4.0; plain.n()]);
    columns.push(plain.column(0).to_vec());
    columns.push(plain.column(1).iter().map(|x| 2.0 * x + 3.0).collect());
    columns.push(plain.column(2).iter().map(|x| f64::from(u8::from(*x > 0.0))).collect());
    columns.push(plain.column(1).iter().map(|x| x.clamp(-1.0, 1.0).round()).collect());
    let names = ["a", "b", "c", "constant", "copy", "line", "two", "three"].map(str::to_owned).to_vec();
    let data = Dataset::new(names, columns).unwrap();
    for config in every_option() {
        let learned = learn(config.clone(), &data);
        assert_eq!(learned.order.as_ref().unwrap().nodes().len(), 8, "{config:?}");
        let told = |word: &str| learned.diagnostics.iter().any(|remark| remark.message.contains(word));
        assert!(told("`constant`"), "{config:?}");
        assert!(told("`copy`") || told("`a`"), "{config:?}: {:?}", learned.diagnostics);
        let edges = learned.graph.to_dag().unwrap().edges();
        assert!(edges.iter().all(|&(parent, child)| parent != 3 && child != 3), "{config:?}");
    }
}

#[test]
fn a_handful_of_rows_gives_a_graph() {
    let plain = rough(2);
    for n in [4, 5, 9, 20] {
        let data = plain.rows(&(0..n).collect::<Vec<_>>()).unwrap();
        for config in every_option() {
            let learned = learn(config.clone(), &data);
            assert_eq!(learned.graph.nodes(), 6, "{config:?}");
        }
    }
    let data = plain.rows(&[0, 1, 2]).unwrap();
    let error = Config::Cam(CamConfig::default()).build().unwrap().learn(&Input::new(&data), &Run::new(Seed(0)));
    assert_eq!(error.unwrap_err().to_string(), "CAM needs at least 4 samples, got 3");
}

#[test]
fn permuting_columns_permutes_the_graph() {
    let data = rough(3);
    let permuted = [4, 2, 0, 5, 1, 3];
    let names = permuted.iter().map(|&j| data.names()[j].clone()).collect();
    let other = Dataset::new(names, permuted.iter().map(|&j| data.column(j).to_vec()).collect()).unwrap();
    for config in [
        CamConfig::default(),
        CamConfig { neighbourhood_selection: NeighbourhoodSelection::None, ..CamConfig::default() },
    ] {
        let expected = learn(config.clone(), &data).graph.to_dag().unwrap();
        let found = learn(config, &other).graph.to_dag().unwrap();
        let mut edges: Vec<(usize, usize)> = found.edges().iter().map(|&(a, b)| (permuted[a], permuted[b])).collect();
        edges.sort_unstable();
        assert_eq!(edges, expected.edges());
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = rough(4);
    for config in [
        CamConfig::default(),
        CamConfig { score: CamScore::ThinPlate(ThinPlateScore::default()), ..CamConfig::default() },
    ] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(config.clone(), &data))
        };
        assert_eq!(on(1), on(3));
    }
}

#[test]
fn a_given_order_is_kept_and_only_parents_are_selected() {
    let data = rough(5);
    let order = Order::new(vec![3, 1, 0, 5, 4, 2]).unwrap();
    let input = Input { order: Some(order.clone()), ..Input::new(&data) };
    for pruning in [Pruning::Common, Pruning::Own] {
        let learner = Config::Cam(CamConfig { pruning, ..CamConfig::default() }).build().unwrap();
        let learned = learner.learn(&input, &Run::new(Seed(0))).unwrap();
        assert_eq!(learned.order, Some(order.clone()));
        assert!(learned.graph.to_dag().unwrap().is_consistent_with(&order));
    }
    let learner = Config::Cam(CamConfig { pruning: Pruning::None, ..CamConfig::default() }).build().unwrap();
    let message = learner.learn(&input, &Run::new(Seed(0))).unwrap_err().to_string();
    assert_eq!(message, "`pruning` must be `common` or `own` when an order is given, got none");
    let second = Input { second_sample: Some(&data), ..Input::new(&data) };
    assert!(LearnerConfig::Cam(CamConfig::default()).build().unwrap().learn(&second, &Run::new(Seed(0))).is_err());
}

#[test]
fn progress_is_reported_and_any_event_may_stop_the_search() {
    struct Watch(Mutex<Vec<String>>, usize);
    impl Observer for Watch {
        fn on(&self, event: &Event<'_>) -> Flow {
            let mut seen = self.0.lock().unwrap();
            if let Event::Working { phase, .. } = event {
                seen.push((*phase).to_owned());
            }
            if seen.len() >= self.1 { Flow::Stop } else { Flow::Continue }
        }
    }
    let data = rough(6);
    let learner = Config::Cam(CamConfig::default()).build().unwrap();
    let all = Watch(Mutex::default(), usize::MAX);
    learner.learn(&Input::new(&data), &Run::new(Seed(0)).observed(&all)).unwrap();
    let seen = all.0.into_inner().unwrap();
    for phase in ["selecting neighbourhoods", "first gains", "including edges"] {
        assert!(seen.iter().any(|seen| seen == phase), "{seen:?}");
    }
    for stop in [1, 7, 13] {
        let watch = Watch(Mutex::default(), stop);
        let result = learner.learn(&Input::new(&data), &Run::new(Seed(0)).observed(&watch));
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}

#[test]
fn options_are_read_as_one_would_guess() {
    let config = |settings: &[&str]| {
        let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        LearnerConfig::resolve("cam", &settings)
    };
    let Ok(Config::Cam(fixed)) = config(&["score.smoothing=fixed", "score.sp=1.5", "pruning=own"]) else { panic!() };
    let score = PSplineScore { smoothing: Smoothing::Fixed, sp: 1.5, ..PSplineScore::default() };
    assert_eq!((fixed.score, fixed.pruning), (CamScore::PSpline(score), Pruning::Own));
    let Ok(Config::Cam(thin)) = config(&["score=thin-plate", "neighbourhood-selection=none", "max-parents=3"]) else {
        panic!()
    };
    assert_eq!((thin.score, thin.max_parents), (CamScore::ThinPlate(ThinPlateScore { k: 10 }), Some(3)));
    for (wrong, expected) in [
        ("score=cubic", "unknown variant `cubic`, expected `p-spline` or `thin-plate`"),
        ("max-parents=0", "`max-parents` must be at least 1, got 0"),
        ("cutoff=0", "`cutoff` must be above 0 and at most 1, got 0"),
        ("score.k=2", "`k` must be between 4 and 60, got 2"),
    ] {
        let message = config(&[wrong]).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

fn named_edges(learned: &Learned) -> Vec<(String, String)> {
    let name = |node: usize| learned.names[node].clone();
    let mut edges: Vec<_> = learned.graph.edges().into_iter().map(|(from, to, _)| (name(from), name(to))).collect();
    edges.sort();
    edges
}

/// Between two columns of two values both directions gain exactly the same, and rounding must not choose.
#[test]
fn binary_columns_give_the_same_graph_in_any_order() {
    for seed in 0..3 {
        let options = SimulateOptions { nodes: Some(6), samples: 300, ..SimulateOptions::default() };
        let data = simulate("MC-GLM".parse().unwrap(), &options, Seed(seed)).unwrap().data;
        let permuted = |shift: usize, stride: usize| {
            let order: Vec<usize> = (0..6).map(|j| (shift + stride * j) % 6).collect();
            let names = order.iter().map(|&j| data.names()[j].clone()).collect();
            Dataset::new(names, order.iter().map(|&j| data.column(j).to_vec()).collect()).unwrap()
        };
        let straight = learn(CamConfig::default(), &data);
        assert!(straight.diagnostics.iter().any(|remark| remark.code == "undecided-directions"), "seed {seed}");
        for (shift, stride) in [(5, 5), (1, 1), (3, 1), (2, 5), (4, 1), (0, 5)] {
            let other = learn(CamConfig::default(), &permuted(shift, stride));
            assert_eq!(named_edges(&other), named_edges(&straight), "seed {seed}, {shift} {stride}");
        }
    }
}
