//! Parents by walks over splits.

use super::evidence::{ProcessEvidence, Wanted};
use super::split::{Split, Toggle};
use super::walk::{Walk, beginning, open, with_required};
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::local_score::after_set::{AfterSet, ChosenParents, ParentChoice};
use crate::run::Run;

/// With a guide so many toggles are tried.
const SHORTLISTED: usize = 8;

impl AfterSet for ProcessEvidence {
    fn nodes(&self) -> usize {
        self.rows.nodes()
    }

    fn choose(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        let starts = choices.iter().map(|choice| self.starts(choice)).collect();
        let ends = best(self.ends(choices, starts, self.rough.as_deref(), run)?);
        Ok(ends.into_iter().map(|(split, nats)| ChosenParents { nats, parents: split.parents() }).collect())
    }

    fn price(&self, choice: &ParentChoice, chosen: &ChosenParents) -> f64 {
        let (among, chosen) = choice.counts(&chosen.parents);
        self.prices.number.price(among, chosen)
    }
}

impl ProcessEvidence {
    /// Where a question's walks begin: at nothing, and at the parents it begins with, split as the node's parents were when its
    /// numbers were fitted; where they never were, added up and joint. Where there is little time, not at nothing.
    pub(super) fn starts(&self, choice: &ParentChoice) -> Vec<Split> {
        let begin = beginning(choice, &self.open(choice));
        let mut starts = match self.fitted.get(choice.node) {
            Some(fitted) => vec![fitted.of(&begin)],
            None => vec![Split::additive(&begin), Split::joint(&begin)],
        };
        if self.rough.is_none() || starts[0].is_empty() {
            let none = with_required(choice, &[]);
            starts.extend([Split::additive(&none), Split::joint(&none)]);
        }
        starts
    }

    /// The nodes that a question leaves open and that say something.
    pub(super) fn open(&self, choice: &ParentChoice) -> Vec<Node> {
        open(choice, |node| self.rows.is_constant(node))
    }

    /// Where the best walk of every question ends, all toggles tried.
    pub(super) fn best_ends(
        &self,
        choices: &[ParentChoice],
        starts: Vec<Vec<Split>>,
        run: &Run<'_>,
    ) -> Result<Vec<(Split, f64)>> {
        Ok(best(self.ends(choices, starts, None, run)?))
    }

    /// Where the walks of every question end, from the splits where they begin. With a guide, which looks at fewer rows, only
    /// the toggles that are best by it are tried.
    pub(super) fn ends(
        &self,
        choices: &[ParentChoice],
        starts: Vec<Vec<Split>>,
        guide: Option<&ProcessEvidence>,
        run: &Run<'_>,
    ) -> Result<Vec<Vec<(Split, f64)>>> {
        let begin = |(choice, starts): (_, Vec<Split>)| -> Vec<Walk<'_>> {
            let open = self.open(choice);
            starts.into_iter().map(|split| Walk::from(choice, &open, split)).collect()
        };
        let mut walks: Vec<Vec<Walk<'_>>> = choices.iter().zip(starts).map(begin).collect();
        walks.iter_mut().for_each(merge);
        loop {
            let mut under_way: Vec<&mut Walk<'_>> = walks.iter_mut().flatten().filter(|walk| !walk.is_over).collect();
            if under_way.is_empty() {
                break;
            }
            let toggles: Vec<Vec<Toggle>> = match guide {
                None => under_way.iter().map(|walk| walk.wanted()).collect(),
                Some(guide) => guide.shortlists(&under_way, run)?,
            };
            self.learn(&wanted(&under_way, &toggles), run)?;
            for (walk, toggles) in under_way.iter_mut().zip(&toggles) {
                let node = walk.choice.node;
                let moved = walk.step(toggles, &self.prices, |split| self.known(node, split));
                walk.is_over |= guide.is_some() && !moved;
            }
            walks.iter_mut().for_each(merge);
        }
        Ok(walks.into_iter().map(|walks| walks.into_iter().filter_map(Walk::end).collect()).collect())
    }

    /// The toggles of highest value here.
    fn shortlists(&self, walks: &[&mut Walk<'_>], run: &Run<'_>) -> Result<Vec<Vec<Toggle>>> {
        let all: Vec<Vec<Toggle>> = walks.iter().map(|walk| walk.toggles()).collect();
        self.learn(&wanted(walks, &all), run)?;
        let shortlist = |(walk, toggles): (&&mut Walk<'_>, Vec<Toggle>)| -> Vec<Toggle> {
            let value = |toggle: Toggle| {
                let split = walk.split.toggled(toggle);
                let nats = self.known(walk.choice.node, &split);
                nats.map_or(f64::NEG_INFINITY, |nats| nats - self.prices.of(walk.choice, &split))
            };
            let mut valued: Vec<(f64, Toggle)> = toggles.into_iter().map(|toggle| (value(toggle), toggle)).collect();
            valued.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            valued.into_iter().take(SHORTLISTED).map(|(_, toggle)| toggle).collect()
        };
        Ok(walks.iter().zip(all).map(shortlist).collect())
    }

    /// The best split of given parents, for every node.
    pub(super) fn splits(&self, parents: &[Vec<Node>], run: &Run<'_>) -> Result<Vec<Split>> {
        let given = |(node, parents): (Node, &Vec<Node>)| {
            let (candidates, barred) = (NodeSet::new(), NodeSet::new());
            ParentChoice { node, candidates, barred, required: parents.clone(), start: Vec::new() }
        };
        let choices: Vec<ParentChoice> = parents.iter().enumerate().map(given).collect();
        let starts = choices.iter().map(|choice| self.starts(choice)).collect();
        let ends = best(self.ends(&choices, starts, self.rough.as_deref(), run)?);
        Ok(ends.into_iter().map(|(split, _)| split).collect())
    }
}

/// The best end of every question.
fn best(ends: Vec<Vec<(Split, f64)>>) -> Vec<(Split, f64)> {
    let better = |best: (Split, f64), next: (Split, f64)| if next.1 > best.1 { next } else { best };
    ends.into_iter().filter_map(|ends| ends.into_iter().reduce(better)).collect()
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
