//! The compiled half of the R package `npvar`: translates between R and the library, and computes nothing itself.
//!
//! Options, questions and answers cross as JSON, the objects that the command line and the Python package speak; only
//! columns of numbers and words cross as R holds them. `../../npvar.c` knows R, and this crate does not: it builds where
//! there is none. (extendr would write that file, and have proc-macros and every crate behind them compiled for it.)

mod calls;
mod columns;
mod ffi;
mod outcome;
mod question;
mod running;
