//! Choices over a score made up for the purpose.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::run::Seed;

/// Node 2 wants 0 and 3 as parents, and 1 only beside 0.
struct Wishes(AtomicUsize, f64);

fn wish(parents: &[Node]) -> f64 {
    let has = |node: Node| f64::from(u8::from(parents.contains(&node)));
    5.0 * has(0) + 4.0 * has(3) + has(1) * (6.0 * has(0) - 3.0)
}

impl Toggles for Wishes {
    fn nodes(&self) -> usize {
        4
    }
    fn toggled(&self, node: Node, parents: &[Node], asked: Asked<'_>, _: &Run<'_>) -> Result<Toggled> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let toggle = |other: Node| {
            let mut set: NodeSet = parents.iter().copied().chain([other]).collect();
            set.set(other, !parents.contains(&other));
            if other == node { f64::NEG_INFINITY } else { wish(&set.ones().collect::<Vec<_>>()) }
        };
        let mut toggled =
            Toggled { nats: wish(parents), with: (0..4).map(toggle).collect(), bounded: NodeSet::with_capacity(4) };
        // Of new parents 1 and 3 it says no more than this, unless it must.
        for other in [1, 3].into_iter().filter(|other| !parents.contains(other)) {
            let bound = toggled.with[other] + self.1;
            if !asked.wants(other, false) || asked.value(bound, false) < asked.least(toggled.nats) {
                toggled.with[other] = bound;
                toggled.bounded.insert(other);
            }
        }
        Ok(toggled)
    }
}

fn ask(candidates: &[Node], required: &[Node], start: &[Node]) -> ParentChoice {
    let candidates = candidates.iter().copied().collect();
    ParentChoice { node: 2, candidates, barred: NodeSet::new(), required: required.to_vec(), start: start.to_vec() }
}

#[test]
fn toggles_lead_to_the_best_set_and_respect_what_is_required() {
    for slack in [0.0, 0.5, 100.0] {
        assert_best_sets(&Toggling::new(Wishes(AtomicUsize::new(0), slack)));
    }
}

#[test]
fn patience_finds_parents_that_are_worth_their_price_only_together() {
    // Nodes 0 and 1 and 3 explain nothing each, nor in pairs.
    struct Together;
    impl Toggles for Together {
        fn nodes(&self) -> usize {
            4
        }
        fn toggled(&self, node: Node, parents: &[Node], _: Asked<'_>, _: &Run<'_>) -> Result<Toggled> {
            let value = |count: usize| if count == 3 { 20.0 } else { 0.0 };
            let count = |other: Node| match parents.contains(&other) {
                true => parents.len() - 1,
                false => parents.len() + 1,
            };
            let with = |other| if other == node { f64::NEG_INFINITY } else { value(count(other)) };
            let bounded = NodeSet::with_capacity(4);
            Ok(Toggled { nats: value(parents.len()), with: (0..4).map(with).collect(), bounded })
        }
    }
    let (toggling, run) = (Toggling::new(Together), Run::new(Seed(0)));
    let questions = [ask(&[0, 1, 3], &[], &[]), ask(&[0, 1], &[], &[])];
    let greedy = toggling.choose(&questions, &run).unwrap();
    let patient = toggling.choose_patiently(&questions, &run).unwrap();
    assert!(greedy.iter().all(|answer| answer.parents.is_empty()));
    assert_eq!(patient[0].parents, [0, 1, 3]);
    assert!((patient[0].nats - (20.0 - 4.0_f64.ln())).abs() < 1e-12);
    assert_eq!(patient[1], greedy[1]);
}

/// However loose the bounds.
fn assert_best_sets(toggling: &Toggling<Wishes>) {
    let questions = [ask(&[0, 1, 3], &[], &[]), ask(&[1, 3], &[], &[0]), ask(&[0, 3], &[1], &[3]), ask(&[], &[], &[])];
    let answers = toggling.choose(&questions, &Run::new(Seed(0))).unwrap();
    let parents: Vec<&[Node]> = answers.iter().map(|answer| &answer.parents[..]).collect();
    assert_eq!(parents, [&[0, 1, 3][..], &[3], &[0, 1, 3], &[]]);
    assert!((answers[0].nats - (12.0 - 4.0_f64.ln())).abs() < 1e-12);
    assert!((answers[2].nats - (12.0 - 3.0_f64.ln())).abs() < 1e-12);
    let barred = ask(&[0, 1, 3], &[], &[1]).barring([0].into_iter().collect());
    let answer = toggling.choose(&[barred], &Run::new(Seed(0))).unwrap().remove(0);
    assert_eq!(answer.parents, [3]);
    assert!((answer.nats - (4.0 - 12.0_f64.ln())).abs() < 1e-12, "the price counts what is barred");
    // Asked again, nothing is computed again.
    let computed = toggling.score.0.load(Ordering::Relaxed);
    assert_eq!(toggling.choose(&questions, &Run::new(Seed(0))).unwrap(), answers);
    assert_eq!(toggling.score.0.load(Ordering::Relaxed), computed);
}
