//! What `npvar.c` calls. Every pointer comes from it: words are UTF-8 with a null at their end and live until the call
//! returns; handles are those that were made here, each freed once.

#![allow(unsafe_code, reason = "the border to C; nothing else in this crate needs it")]

use std::ffi::{CStr, CString, c_char};
use std::slice;
use std::time::Duration;

use crate::calls;
use crate::columns::{Column, Given};
use crate::outcome::outcome;
use crate::running::Running;

/// Answers a question without a table; the text is freed by `npvar_free_text`.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_call(question: *const c_char) -> *mut c_char {
    let question = unsafe { word(question) };
    given_text(outcome(|| calls::answer(&question)))
}

/// An empty table, which `npvar_start` takes back.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn npvar_table() -> *mut Given {
    Box::into_raw(Box::default())
}

/// Adds the path of a file.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_add_file(table: *mut Given, path: *const c_char) {
    let (given, path) = unsafe { (&mut *table, word(path)) };
    given.files.push(path);
}

/// Adds a column of `n` numbers, NaN for a missing one.
///
/// # Safety
/// As the module says, and `values` has `n` numbers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_add_numbers(
    table: *mut Given,
    name: *const c_char,
    values: *const f64,
    n: usize,
) {
    let values = if n == 0 { &[] } else { unsafe { slice::from_raw_parts(values, n) } };
    unsafe { add(table, name, Column::Numbers(values.to_vec())) }
}

/// Adds a column of `n` words, null for a missing one.
///
/// # Safety
/// As the module says, and `words` has `n` of them.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_add_words(
    table: *mut Given,
    name: *const c_char,
    words: *const *const c_char,
    n: usize,
) {
    let words = if n == 0 { &[] } else { unsafe { slice::from_raw_parts(words, n) } };
    let words = words.iter().map(|&text| (!text.is_null()).then(|| unsafe { word(text) })).collect();
    unsafe { add(table, name, Column::Words(words)) }
}

/// Starts on a question about a table, which it takes; the handle is given up by `npvar_free_running`.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_start(table: *mut Given, question: *const c_char) -> *mut Running {
    let (given, question) = unsafe { (*Box::from_raw(table), word(question)) };
    Box::into_raw(Box::new(Running::start(given, question)))
}

/// Waits a moment: null while the work goes on, then its outcome, once, freed by `npvar_free_text`.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_wait(running: *const Running, milliseconds: u32) -> *mut c_char {
    let running = unsafe { &*running };
    running.wait(Duration::from_millis(u64::from(milliseconds))).map_or(std::ptr::null_mut(), given_text)
}

/// Gives up a handle; the work stops if it goes on.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_free_running(running: *mut Running) {
    drop(unsafe { Box::from_raw(running) });
}

/// Frees a text that was given.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn npvar_free_text(text: *mut c_char) {
    drop(unsafe { CString::from_raw(text) });
}

unsafe fn add(table: *mut Given, name: *const c_char, column: Column) {
    let given = unsafe { &mut *table };
    given.names.push(unsafe { word(name) });
    given.columns.push(column);
}

unsafe fn word(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// JSON writes a null character as an escape, so none stands in the text.
fn given_text(text: String) -> *mut c_char {
    CString::new(text).expect("JSON has no null character").into_raw()
}
