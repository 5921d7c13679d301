//! The stages of NPVAR one by one: `cargo bench -p npvar --bench stages`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use npvar::data::{Dataset, summarise};
use npvar::order::{LayerRule, search};
use npvar::residual_variance::{Additive, AdditiveFactor, Form};
use npvar::select::gam_significance;
use npvar::simulate::{SimulateOptions, simulate};
use npvar::smooth::{AdditiveGram, FewValued, RawGram, SmoothSpec};
use npvar::{Run, Seed};

const SPEC: SmoothSpec = SmoothSpec::spline(10, FewValued::Saturated);
const LAMBDA: f64 = 0.6;

fn data(nodes: usize) -> Dataset {
    let options = SimulateOptions { nodes: Some(nodes), samples: 1000, ..SimulateOptions::default() };
    simulate("ER-SIN-4".parse().expect("a setting"), &options, Seed(1)).expect("valid options").data
}

fn raw(data: &Dataset) -> RawGram {
    let run = Run::new(Seed(1));
    let columns = summarise(data, &run).expect("a table in memory");
    RawGram::of(data, SPEC, &columns, &run).expect("a table in memory")
}

fn stages(criterion: &mut Criterion) {
    let run = Run::new(Seed(1));
    for nodes in [20, 40] {
        let data = data(nodes);
        let raw_gram = raw(&data);
        let gram = AdditiveGram::new(&raw_gram);
        let order = || {
            let mut conditioning = Additive::new(&gram, LAMBDA, Form::Difference).conditioning();
            search(&mut conditioning, None, nodes, &LayerRule::default(), &run).expect("not cancelled").layers.order()
        };
        let found = order();
        let mut factor = AdditiveFactor::new(&gram, LAMBDA);
        found.nodes().iter().for_each(|&node| factor.append(node, &run).expect("not cancelled"));

        let mut group = criterion.benchmark_group("stages");
        group.bench_function(BenchmarkId::new("raw Gram", nodes), |bencher| bencher.iter(|| raw(black_box(&data))));
        group.bench_function(BenchmarkId::new("constraint", nodes), |bencher| {
            bencher.iter(|| AdditiveGram::new(black_box(&raw_gram)));
        });
        group.bench_function(BenchmarkId::new("order search", nodes), |bencher| bencher.iter(order));
        group.bench_function(BenchmarkId::new("selection", nodes), |bencher| {
            bencher.iter(|| gam_significance(black_box(&factor), &found, 0.001, &run));
        });
        group.bench_function(BenchmarkId::new("learn", nodes), |bencher| bencher.iter(|| npvar::learn(&data, &run)));
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
