//! The compiled half of the Python package `npvar`: translates between Python and the library, and computes nothing itself.
//!
//! Everything larger than a number crosses as the same JSON objects that the command line prints; tables cross as they are
//! (NumPy views, Arrow arrays), without a copy where their layout allows.

mod columns;
mod compare;
mod draw;
mod errors;
mod frame;
mod given;
mod gram;
mod graphs;
mod learn;
mod learners;
mod own_estimator;
mod read_options;
mod running;
mod simulate;
mod table;

use pyo3::prelude::*;

/// The module `npvar._npvar`.
#[pymodule]
fn _npvar(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(learn::learn, module)?)?;
    module.add_function(wrap_pyfunction!(learn::diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(learn::document, module)?)?;
    module.add_function(wrap_pyfunction!(graphs::edge_list, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::settings, module)?)?;
    module.add_function(wrap_pyfunction!(graphs::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(graphs::convert, module)?)?;
    module.add_function(wrap_pyfunction!(graphs::read_graph, module)?)?;
    module.add_function(wrap_pyfunction!(draw::layout, module)?)?;
    module.add_function(wrap_pyfunction!(draw::graph_svg, module)?)?;
    module.add_function(wrap_pyfunction!(draw::graph_png, module)?)?;
    module.add_function(wrap_pyfunction!(draw::graph_pdf, module)?)?;
    module.add_function(wrap_pyfunction!(learners::learners, module)?)?;
    module.add_function(wrap_pyfunction!(learners::resolve, module)?)?;
    module.add_function(wrap_pyfunction!(gram::knots, module)?)?;
    module.add_function(wrap_pyfunction!(gram::merge_knots, module)?)?;
    module.add_function(wrap_pyfunction!(gram::partial_gram, module)?)?;
    module.add_function(wrap_pyfunction!(gram::merge_two, module)?)?;
    module.add_function(wrap_pyfunction!(gram::learn_from_gram, module)?)?;
    Ok(())
}
