//! Programs that measure the library; each stands in `src/bin` and says how to run it. What several of them need is here.

pub mod fuzz;
pub mod worlds;
