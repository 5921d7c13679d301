//! Parents chosen anew, each node with numbers fitted to what it chooses.
//!
//! A node's numbers suit the parents they were fitted to: with long joint functions much is taken in that is of no use, and
//! then nothing is left out again. So a node also walks with the numbers in common, from several beginnings; where the walks end
//! its numbers are fitted, and the best of these ends counts.

use rayon::prelude::*;

use super::evidence::ProcessEvidence;
use super::numbers::Numbers;
use super::split::Split;
use super::walk::{beginning, with_required};
use crate::error::Result;
use crate::local_score::after_set::{ChosenParents, ParentChoice};
use crate::run::Run;

/// To so many ends of a node's walks numbers are fitted.
const FITTED: usize = 3;

impl ProcessEvidence {
    /// The evidence with the numbers of the choices, and the choices.
    pub(super) fn anew(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<(Self, Vec<ChosenParents>)> {
        let common = self.common.numbers;
        let here = self.best_ends(choices, choices.iter().map(|choice| self.starts(choice)).collect(), run)?;
        let all = |choice: &ParentChoice| with_required(choice, &self.open(choice));
        // With many joint parents every row is far from every other, and nothing is seen of which of them matter.
        let longer = self.with_numbers(common.with_longer_joint());
        let far =
            longer.best_ends(choices, choices.iter().map(|choice| vec![Split::joint(&all(choice))]).collect(), run)?;
        let starts = choices.iter().zip(here.iter().zip(far)).map(|(choice, (here, far))| {
            let mut starts = vec![here.0.clone(), far.0, Split::joint(&all(choice))];
            if self.rough.is_none() {
                starts.extend([Split::additive(&all(choice)), Split::additive(&beginning(choice, &[]))]);
                starts.push(Split::joint(&beginning(choice, &[])));
            }
            starts
        });
        let ends = self.with_numbers(common).ends(choices, starts.collect(), None, run)?;
        let best: Vec<(Split, Numbers)> = choices
            .par_iter()
            .zip(here.into_par_iter().zip(ends))
            .with_max_len(1)
            .map(|(choice, (here, ends))| self.best_fitted(choice, here, ends, run))
            .collect::<Result<_>>()?;
        let mut next = self.unknown();
        next.fitted = vec![Split::default(); self.rows.nodes()];
        for (choice, (split, numbers)) in choices.iter().zip(&best) {
            next.numbers[choice.node] = *numbers;
            next.fitted[choice.node] = split.clone();
        }
        let starts = best.into_iter().map(|(split, _)| vec![split]).collect();
        let ends = next.best_ends(choices, starts, run)?;
        for (choice, (split, _)) in choices.iter().zip(&ends) {
            next.fitted[choice.node] = split.clone();
        }
        if let Some(rough) = next.rough.take() {
            let rough = rough.numbered(next.numbers.clone());
            next.rough = Some(Box::new(rough.fitted_to(next.fitted.clone())));
        }
        let answers = ends.into_iter().map(|(split, nats)| ChosenParents { nats, parents: split.parents() });
        Ok((next, answers.collect()))
    }

    /// The best of a node's splits: `here` with the numbers it has, others with numbers fitted.
    fn best_fitted(
        &self,
        choice: &ParentChoice,
        here: (Split, f64),
        mut ends: Vec<(Split, f64)>,
        run: &Run<'_>,
    ) -> Result<(Split, Numbers)> {
        ends.sort_by(|a, b| b.1.total_cmp(&a.1));
        ends.truncate(FITTED);
        let mut best = (here.1, (here.0, self.numbers[choice.node]));
        for (split, _) in ends {
            let (numbers, nats) = self.fitted(choice.node, &split, self.common.numbers, run)?;
            let value = nats - self.prices.of(choice, &split);
            if value > best.0 {
                best = (value, (split, numbers));
            }
        }
        Ok(best.1)
    }

    /// With the same numbers for all nodes.
    fn with_numbers(&self, numbers: Numbers) -> Self {
        self.numbered(vec![numbers; self.rows.nodes()])
    }
}
