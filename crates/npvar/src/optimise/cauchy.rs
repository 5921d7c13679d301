//! The generalised Cauchy point: the first minimum of the quadratic model along the projected steepest descent.

use super::bounds::Bounds;
use super::dot::dot;
use super::quadratic_model::QuadraticModel;

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
    let (mut direction, mut breakpoints) = (vec![0.0; x.len()], Vec::new());
    let mut free = Vec::new();
    for (i, (&x, &g)) in x.iter().zip(gradient).enumerate() {
        let limit = if g < 0.0 { bounds.upper(i) } else { bounds.lower(i) };
        let reach = if g == 0.0 { f64::INFINITY } else { (x - limit) / g };
        if reach > 0.0 {
            direction[i] = -g;
            if reach < f64::INFINITY {
                breakpoints.push((reach, i));
            } else if bounds.lower(i) < bounds.upper(i) {
                free.push(i);
            }
        }
    }
    breakpoints.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let theta = model.theta();
    let mut p = model.transposed_times(&direction);
    let mut c = vec![0.0; model.width()];
    let mut slope = -dot(&direction, &direction);
    let mut curvature = -theta * slope - dot(&p, &model.middle_times(&p));
    let smallest_curvature = f64::EPSILON * curvature.abs();
    let mut cauchy = x.to_vec();
    let (mut passed, mut old) = (0, 0.0);
    let mut row = vec![0.0; model.width()];
    let mut wanted = if slope < 0.0 { -slope / curvature } else { 0.0 };
    for &(reach, b) in &breakpoints {
        let interval = reach - old;
        if wanted < interval {
            break;
        }
        let g = gradient[b];
        cauchy[b] = if direction[b] > 0.0 { bounds.upper(b) } else { bounds.lower(b) };
        let moved = cauchy[b] - x[b];
        for (c, p) in c.iter_mut().zip(&p) {
            *c += interval * p;
        }
        model.row(b, &mut row);
        let middle_row = model.middle_times(&row);
        slope += interval * curvature + g * g + theta * g * moved - g * dot(&middle_row, &c);
        curvature -= theta * g * g + 2.0 * g * dot(&middle_row, &p) + g * g * dot(&middle_row, &row);
        curvature = curvature.max(smallest_curvature);
        for (p, w) in p.iter_mut().zip(&row) {
            *p += g * w;
        }
        direction[b] = 0.0;
        wanted = if curvature > 0.0 { -slope / curvature } else { 0.0 };
        old = reach;
        passed += 1;
    }
    // With every variable at a bound there is nowhere left to go.
    let rest = if passed == breakpoints.len() && free.is_empty() { 0.0 } else { wanted.max(0.0) };
    for (c, p) in c.iter_mut().zip(&p) {
        *c += rest * p;
    }
    let end = old + rest;
    for (i, cauchy) in cauchy.iter_mut().enumerate() {
        if direction[i] != 0.0 {
            *cauchy = bounds.project(i, x[i] + end * direction[i]);
        }
    }
    free.extend(breakpoints[passed..].iter().map(|&(_, i)| i));
    free.sort_unstable();
    free.retain(|&i| cauchy[i] > bounds.lower(i) && cauchy[i] < bounds.upper(i));
    CauchyPoint { x: cauchy, c, free }
}
