//! Tail probabilities and the small eigenproblem behind each p-value: `cargo bench -p npvar --bench distribution`.

use criterion::{Criterion, criterion_group, criterion_main};
use npvar::distribution::{WoodWeights, f_upper_tail};
use npvar::linalg::small_symmetric::eigen_coordinates;
use std::hint::black_box;

fn tails(c: &mut Criterion) {
    for nu in [0.07, 0.3, 0.5, 0.9] {
        for statistic in [5.0, 20.0, 400.0] {
            let weights = WoodWeights::new(7, nu);
            c.bench_function(&format!("weighted_chi_square/k=7,nu={nu},k0=900,q={statistic}"), |b| {
                b.iter(|| black_box(weights).upper_tail(black_box(statistic), black_box(900)));
            });
        }
    }
    c.bench_function("f_upper_tail/r=7,rdf=900.5,f=3", |b| {
        b.iter(|| f_upper_tail(black_box(3.0), black_box(7.0), black_box(900.5)));
    });
}

fn eigen(c: &mut Criterion) {
    let n = 9;
    let matrix: Vec<f64> = (0..n * n)
        .map(|ij| {
            let (i, j) = ((ij / n) as f64, (ij % n) as f64);
            (-(i - j).powi(2) / 8.0).exp() + (0.7 * (i + j)).sin() * 0.1
        })
        .collect();
    let vector: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
    c.bench_function("eigen_coordinates/n=9", |b| {
        b.iter(|| {
            let (mut work, mut z, mut eigenvalues) = ([0.0; 81], [0.0; 9], [0.0; 9]);
            work.copy_from_slice(black_box(&matrix));
            z.copy_from_slice(black_box(&vector));
            eigen_coordinates(&mut work, &mut z, &mut eigenvalues);
            (z, eigenvalues)
        });
    });
}

criterion_group!(benches, tails, eigen);
criterion_main!(benches);
