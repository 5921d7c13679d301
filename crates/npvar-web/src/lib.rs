//! A learned graph as a page: the [`Report`] is one HTML file that opens offline, and [`server`] shows the same page for
//! runs that it makes itself.
//!
//! The page stands in `page/` (TypeScript, bundled by esbuild into `page/dist`, which is committed and held to its sources
//! by `cargo xtask test`); building this crate needs no Node. It draws with SVG and no library, so that every node can be
//! reached by keyboard and screen reader, follows the colour scheme, and is saved as it is seen.

mod comparison;
mod places;
mod report;
mod shown_rows;

pub use comparison::comparison_html;
pub use report::{Report, Truth};
pub use shown_rows::ShownRows;
#[cfg(feature = "server")]
pub mod server;
