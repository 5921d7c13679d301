//! Matrices as large as the rows, used again and again: to allocate them for every split would cost more than to fill them.

use std::sync::{Mutex, PoisonError};

use faer::Mat;

/// The matrices that valuing splits needs.
#[derive(Debug)]
pub(super) struct Workspace {
    /// `Σ_{k ∈ T} E_k` of the split that toggles are made in.
    pub(super) additive: Mat<f64>,
    /// `b P` of it.
    pub(super) joint: Mat<f64>,
    /// `b P` of one with another `S`.
    pub(super) other: Mat<f64>,
    /// `M`, and its factor.
    pub(super) matrix: Mat<f64>,
}

/// Workspaces that are not in use.
#[derive(Debug, Default)]
pub(super) struct Workspaces(Mutex<Vec<Workspace>>);

impl Workspaces {
    /// Does something in a workspace of matrices of this size.
    pub(super) fn with<T>(&self, size: usize, work: impl FnOnce(&mut Workspace) -> T) -> T {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut workspace = free.filter(|free| free.additive.nrows() == size).unwrap_or_else(|| Workspace::new(size));
        let done = work(&mut workspace);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        done
    }
}

impl Workspace {
    fn new(size: usize) -> Self {
        let [additive, joint, other, matrix] = [(); 4].map(|()| Mat::zeros(size, size));
        Workspace { additive, joint, other, matrix }
    }
}
