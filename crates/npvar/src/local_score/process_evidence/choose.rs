//! Parents by walks over splits.

use super::evidence::{ProcessEvidence, Wanted};
use super::split::{Split, Toggle};
use super::walk::{Walk, beginning, open, with_required};
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::local_score::after_set::{AfterSet, ChosenParents, ParentChoice};
use crate::run::Run;

/// How many of the toggles that are best on few rows are tried on all.
const TRIED: usize = 4;

impl AfterSet for ProcessEvidence {
    fn nodes(&self) -> usize {
        self.rows.nodes()
    }

    fn choose(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        let ends = self.ends(choices, run)?;
        Ok(ends.into_iter().map(|(split, nats)| ChosenParents { nats, parents: split.parents() }).collect())
    }
}

impl ProcessEvidence {
    /// Where the best walk of every question ends.
    fn ends(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<(Split, f64)>> {
        let mut walks = self.begun(choices, run)?;
        loop {
            let mut under_way: Vec<&mut Walk<'_>> =
                walks.iter_mut().flatten().filter(|walk| walk.settled.is_none()).collect();
            if under_way.is_empty() {
                break;
            }
            let mut toggles: Vec<Vec<Toggle>> = under_way.iter().map(|walk| walk.toggles()).collect();
            if let Some(rough) = &self.rough {
                rough.learn(&wanted(&under_way, &toggles), run)?;
                for (walk, toggles) in under_way.iter().zip(&mut toggles) {
                    rough.best(walk, toggles);
                }
            }
            self.learn(&wanted(&under_way, &toggles), run)?;
            for (walk, toggles) in under_way.iter_mut().zip(&toggles) {
                let node = walk.choice.node;
                walk.step(toggles, |split| self.known(node, split));
            }
            walks.iter_mut().for_each(merge);
        }
        let best = |walks: Vec<Walk<'_>>| {
            let ended = walks.into_iter().filter_map(|walk| Some((walk.split, walk.settled?)));
            ended.reduce(|best, next| if next.1 > best.1 { next } else { best })
        };
        Ok(walks.into_iter().filter_map(best).collect())
    }

    /// Walks from where they should begin. A question that begins with everything is also begun where it ends with longer
    /// joint functions. What is slow on all rows begins where the question ends on fewer, and at the parents that it begins
    /// with, split as is best there.
    fn begun<'c>(&self, choices: &'c [ParentChoice], run: &Run<'_>) -> Result<Vec<Vec<Walk<'c>>>> {
        let useless = |node: Node| self.rows.is_constant(node);
        let Some(rough) = &self.rough else {
            let mut walks: Vec<Vec<Walk<'_>>> = choices.iter().map(|choice| Walk::all(choice, useless)).collect();
            if let Some(longer) = &self.longer {
                let is_fresh = |choice: &ParentChoice| {
                    let open = open(choice, useless);
                    open.len() > 1 && beginning(choice, &open).len() == open.len()
                };
                let fresh: Vec<usize> = (0..choices.len()).filter(|&i| is_fresh(&choices[i])).collect();
                let asked: Vec<ParentChoice> = fresh.iter().map(|&i| choices[i].clone()).collect();
                for (i, (split, _)) in fresh.into_iter().zip(longer.ends(&asked, run)?) {
                    walks[i].extend(Walk::from(&choices[i], &open(&choices[i], useless), vec![split]));
                    merge(&mut walks[i]);
                }
            }
            return Ok(walks);
        };
        let given = |choice: &ParentChoice| {
            let open = open(choice, useless);
            parents_given(choice.node, with_required(choice, &beginning(choice, &open)))
        };
        let given: Vec<ParentChoice> = choices.iter().map(given).collect();
        let (ends, given) = (rough.ends(choices, run)?, rough.ends(&given, run)?);
        let starts = ends.into_iter().zip(given).map(|((end, _), (given, _))| vec![end, given]);
        let walks =
            choices.iter().zip(starts).map(|(choice, starts)| Walk::from(choice, &open(choice, useless), starts));
        Ok(walks.collect())
    }

    /// Keeps the toggles of highest value here.
    fn best(&self, walk: &Walk<'_>, toggles: &mut Vec<Toggle>) {
        let value = |toggle: &Toggle| {
            let split = walk.split.toggled(*toggle);
            self.known(walk.choice.node, &split).map_or(f64::NEG_INFINITY, |nats| nats - walk.price(&split))
        };
        let mut valued: Vec<(f64, Toggle)> = toggles.iter().map(|toggle| (value(toggle), *toggle)).collect();
        valued.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        valued.truncate(TRIED);
        *toggles = valued.into_iter().map(|(_, toggle)| toggle).collect();
    }

    /// The best split of given parents, for every node.
    pub(super) fn splits(&self, parents: &[Vec<Node>], run: &Run<'_>) -> Result<Vec<Split>> {
        let given = |(node, parents): (Node, &Vec<Node>)| parents_given(node, parents.clone());
        let choices: Vec<ParentChoice> = parents.iter().enumerate().map(given).collect();
        Ok(self.ends(&choices, run)?.into_iter().map(|(split, _)| split).collect())
    }
}

/// The question how given parents are best split.
fn parents_given(node: Node, parents: Vec<Node>) -> ParentChoice {
    let (candidates, barred) = (NodeSet::new(), NodeSet::new());
    ParentChoice { node, candidates, barred, required: parents, start: Vec::new() }
}

/// Walks of one question that have met go on as one.
fn merge(walks: &mut Vec<Walk<'_>>) {
    let mut seen: Vec<Split> = Vec::new();
    walks.retain(|walk| {
        let new = !seen.contains(&walk.split);
        seen.push(walk.split.clone());
        new
    });
}

fn wanted<'w>(walks: &'w [&mut Walk<'_>], toggles: &'w [Vec<Toggle>]) -> Vec<Wanted<'w>> {
    let want = |(walk, toggles): (&'w &mut Walk<'_>, &'w Vec<Toggle>)| Wanted {
        node: walk.choice.node,
        split: &walk.split,
        toggles,
    };
    walks.iter().zip(toggles).map(want).collect()
}
