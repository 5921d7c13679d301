//! Draws of the simulator, pinned: a change of the generator, of a dependency or of the platform does not go unnoticed.

use npvar::Seed;
use npvar::simulate::{SimulateOptions, simulate};

/// Made by this code on x86-64 Linux: it says that a draw has not changed, here or on another platform, not that it is
/// right.
#[test]
fn draws_are_those_of_the_day_they_were_pinned() {
    let pinned: [(&str, usize, &[&[f64]]); 3] = [
        (
            "ER-SIN-4",
            4,
            &[
                &[1.9801807010758474, 1.0417962365187308, 2.753349853489105, 0.8993327954308417],
                &[2.3318412018475687, 0.48253270302315404, 1.68405898775415, 1.1261809749463128],
            ],
        ),
        (
            "MC-AGP",
            3,
            &[
                &[0.3690600402984154, 1.6022512476536592, 0.18975968922390643],
                &[2.379079234556093, 0.9805733093206275, -0.40685715086129487],
            ],
        ),
        ("MC-GLM", 3, &[&[0.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 1.0, 0.0]]),
    ];
    for (setting, nodes, rows) in pinned {
        let options = SimulateOptions { nodes: Some(nodes), samples: rows.len(), ..SimulateOptions::default() };
        let data = simulate(setting.parse().expect("known"), &options, Seed(1)).expect(setting).data;
        for (at, row) in rows.iter().enumerate() {
            for (node, &expected) in row.iter().enumerate() {
                let got = data.column(node)[at];
                // The last bits of `sin` and `exp`, through a few sums and a small Cholesky factor.
                assert!((got - expected).abs() < 1e-9, "{setting}, row {at}, node {node}: {got} was {expected}");
            }
        }
    }
}
