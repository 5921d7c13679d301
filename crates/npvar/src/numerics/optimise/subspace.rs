//! Minimises the quadratic model over the variables that are free at the Cauchy point (the direct primal method).

use super::bounds::Bounds;
use super::cauchy::CauchyPoint;
use super::quadratic_model::QuadraticModel;
use super::small_solve::LuFactors;
use crate::numerics::linalg::wide::dot;
use crate::numerics::linalg::{Into, multiply_here, row_major, row_major_mut};

/// The point the line search aims at; the Cauchy point itself where nothing is free or the model breaks down.
pub(super) fn minimise_free(
    x: &[f64],
    gradient: &[f64],
    bounds: &Bounds,
    model: &QuadraticModel,
    cauchy: CauchyPoint,
) -> Vec<f64> {
    let CauchyPoint { x: start, c, free } = cauchy;
    if free.is_empty() || model.is_identity() {
        return start;
    }
    let Some(step) = newton_step(x, gradient, model, &start, &c, &free) else { return start };
    let mut end = start.clone();
    for (&i, step) in free.iter().zip(&step) {
        end[i] = bounds.project(i, start[i] + step);
    }
    let descent: f64 = (0..x.len()).map(|i| (end[i] - x[i]) * gradient[i]).sum();
    if descent < 0.0 {
        return end;
    }
    let mut share = 1.0_f64;
    for (&i, &step) in free.iter().zip(&step) {
        let limit = if step > 0.0 { bounds.upper(i) } else { bounds.lower(i) };
        if step != 0.0 {
            share = share.min((limit - start[i]) / step);
        }
    }
    for (&i, step) in free.iter().zip(&step) {
        end[i] = bounds.project(i, start[i] + share.max(0.0) * step);
    }
    end
}

/// `−B_FF⁻¹ r` with `r` the model's gradient at the Cauchy point, by the Sherman–Morrison–Woodbury formula.
fn newton_step(
    x: &[f64],
    gradient: &[f64],
    model: &QuadraticModel,
    start: &[f64],
    c: &[f64],
    free: &[usize],
) -> Option<Vec<f64>> {
    let (theta, width) = (model.theta(), model.width());
    let mut rows = vec![0.0; free.len() * width];
    for (row, &i) in rows.chunks_exact_mut(width).zip(free) {
        row.copy_from_slice(model.row(i));
    }
    let middle_c = model.middle_times(c);
    let residual: Vec<f64> = free
        .iter()
        .zip(rows.chunks_exact(width))
        .map(|(&i, row)| gradient[i] + theta * (start[i] - x[i]) - dot(row, &middle_c))
        .collect();
    let mut v = vec![0.0; width];
    for (row, r) in rows.chunks_exact(width).zip(&residual) {
        for (sum, w) in v.iter_mut().zip(row) {
            *sum += r * w;
        }
    }
    // (I − M G)⁻¹ M = (M⁻¹ − G)⁻¹ with G = W_F'W_F/θ.
    let (mut system, w) = (model.inverse_middle().to_vec(), row_major(&rows, free.len(), width, width));
    multiply_here(row_major_mut(&mut system, width, width, width), Into::Add, w.transpose(), w, -1.0 / theta);
    LuFactors::new(system, width)?.solve(&mut v);
    let step = residual
        .iter()
        .zip(rows.chunks_exact(width))
        .map(|(r, row)| -r / theta - dot(row, &v) / (theta * theta))
        .collect::<Vec<f64>>();
    step.iter().all(|step| step.is_finite()).then_some(step)
}
