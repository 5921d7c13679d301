//! The generalised Cauchy point: the first minimum of the quadratic model along the projected steepest descent.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::bounds::Bounds;
use super::quadratic_model::QuadraticModel;
use crate::numerics::linalg::wide::dot;

/// Where the projected gradient path ends.
pub(super) struct CauchyPoint {
    pub(super) x: Vec<f64>,
    /// `W'(x^c − x)`.
    pub(super) c: Vec<f64>,
    /// The variables that are not at a bound there.
    pub(super) free: Vec<usize>,
}

/// Algorithm CP of Byrd, Lu, Nocedal & Zhu (1995).
pub(super) fn cauchy_point(x: &[f64], gradient: &[f64], bounds: &Bounds, model: &QuadraticModel) -> CauchyPoint {
    let mut direction = vec![0.0; x.len()];
    // The variables that may move, and those that will come upon a bound, nearest first.
    let (mut moving, mut breakpoints) = (Vec::new(), Vec::new());
    for (i, (&x, &g)) in x.iter().zip(gradient).enumerate() {
        let (lower, upper) = (bounds.lower(i), bounds.upper(i));
        if (g >= 0.0 && x <= lower) || (g <= 0.0 && x >= upper) {
            continue;
        }
        let limit = if g < 0.0 { upper } else { lower };
        let reach = if g == 0.0 { f64::INFINITY } else { (x - limit) / g };
        if reach > 0.0 {
            direction[i] = -g;
            moving.push(i);
            if reach < f64::INFINITY {
                breakpoints.push(Reverse(Breakpoint { reach, variable: i }));
            }
        }
    }
    let mut breakpoints = BinaryHeap::from(breakpoints);
    let mut passed = vec![false; x.len()];
    let theta = model.theta();
    let mut p = model.transposed_times(&direction);
    let mut c = vec![0.0; model.width()];
    let mut slope = -dot(&direction, &direction);
    let mut curvature = -theta * slope - dot(&p, &model.middle_times(&p));
    let smallest_curvature = f64::EPSILON * curvature.abs();
    let mut cauchy = x.to_vec();
    let (mut old, mut count_passed) = (0.0, 0);
    let mut wanted = if slope < 0.0 { -slope / curvature } else { 0.0 };
    while let Some(&Reverse(Breakpoint { reach, variable: b })) = breakpoints.peek() {
        let interval = reach - old;
        if wanted < interval {
            break;
        }
        breakpoints.pop();
        let g = gradient[b];
        cauchy[b] = if direction[b] > 0.0 { bounds.upper(b) } else { bounds.lower(b) };
        let moved = cauchy[b] - x[b];
        for (c, p) in c.iter_mut().zip(&p) {
            *c += interval * p;
        }
        let row = model.row(b);
        let middle_row = model.middle_times(row);
        slope += interval * curvature + g * g + theta * g * moved - g * dot(&middle_row, &c);
        curvature -= theta * g * g + 2.0 * g * dot(&middle_row, &p) + g * g * dot(&middle_row, row);
        curvature = curvature.max(smallest_curvature);
        for (p, w) in p.iter_mut().zip(row) {
            *p += g * w;
        }
        direction[b] = 0.0;
        wanted = if curvature > 0.0 { -slope / curvature } else { 0.0 };
        old = reach;
        passed[b] = true;
        count_passed += 1;
    }
    // With every variable at a bound there is nowhere left to go.
    let rest = if count_passed == moving.len() { 0.0 } else { wanted.max(0.0) };
    for (c, p) in c.iter_mut().zip(&p) {
        *c += rest * p;
    }
    let end = old + rest;
    moving.retain(|&i| {
        if passed[i] {
            return false;
        }
        if direction[i] != 0.0 {
            cauchy[i] = bounds.project(i, x[i] + end * direction[i]);
        }
        cauchy[i] > bounds.lower(i) && cauchy[i] < bounds.upper(i)
    });
    CauchyPoint { x: cauchy, c, free: moving }
}

/// Where a variable comes upon its bound.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Breakpoint {
    reach: f64,
    variable: usize,
}

impl Eq for Breakpoint {}

impl Ord for Breakpoint {
    fn cmp(&self, other: &Self) -> Ordering {
        self.reach.total_cmp(&other.reach).then(self.variable.cmp(&other.variable))
    }
}

impl PartialOrd for Breakpoint {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
