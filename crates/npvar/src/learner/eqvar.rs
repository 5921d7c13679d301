//! EqVar: the same search over the covariance matrix, or sinks first; then NPVAR's selection.

use super::along_order::{Found, read_gram, select_along, unused_second_sample, usable_columns};
use super::config::{Direction, EqvarConfig};
use super::reports;
use super::{Input, Learned, LearnerConfig, StructureLearner};
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::Knowledge;
use crate::order::{LayerRule, bottom_up_within, layers_within};
use crate::run::{Event, Run, Stage};

/// EqVar with valid options.
pub(super) struct Eqvar(pub(super) EqvarConfig);

impl StructureLearner for Eqvar {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        run.report(&Event::Stage(Stage::Order))?;
        if input.second_sample.is_some() {
            return Err(unused_second_sample());
        }
        let names = input.rows.names().to_vec();
        let columns = usable_columns("EqVar", input.rows, run)?;
        let mut diagnostics = reports::columns(&names, &columns);
        let nothing = Knowledge::none(names.len());
        let knowledge = input.knowledge.unwrap_or(&nothing);
        let (order, layers, steps) = match (&input.order, self.0.direction) {
            (Some(order), _) => (order.clone(), None, None),
            (None, Direction::TopDown) => {
                let covariance = Covariance::of(input.rows, run)?;
                let found = layers_within(&covariance, &LayerRule::default(), knowledge, run)?;
                diagnostics.extend(reports::negative_variances(&names, &found.negative));
                (found.layers.order(), Some(found.layers), Some(found.steps))
            }
            (None, Direction::BottomUp) => {
                let (order, _, singular) = bottom_up_within(&Covariance::of(input.rows, run)?, knowledge, run)?;
                diagnostics.extend(singular.then(reports::singular_covariance));
                (order, None, None)
            }
        };
        let gram = read_gram(input.rows, self.0.selection.spec(), &columns, run)?;
        diagnostics.extend(reports::scale(&names, &gram));
        let found = Found { order, layers, steps, diagnostics };
        let rule = (&self.0.selection, self.0.cutoff);
        select_along(&names, &gram, None, found, rule, LearnerConfig::Eqvar(self.0.clone()), run)
    }
}
