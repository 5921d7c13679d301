//! One page with everything in it: no scripts, nothing to load.

use npvar_draw::{Picture, STYLE_SHEET, escaped};

use super::Report;
use crate::row::Status;
use crate::study::Size;

/// Longer tables are folded.
const LONG: usize = 40;
/// Longer tables would be most of the page; they are in a file beside it.
const TOO_LONG: usize = 2000;

pub(super) fn page(report: &Report<'_>) -> String {
    let title = escaped(&report.study.file.title);
    let mut body = format!("<h1>{title}</h1>\n<p class=\"facts\">{}</p>\n", escaped(&facts(report)));
    for paragraph in report.study.file.about.trim().split("\n\n").filter(|text| !text.is_empty()) {
        body += &format!("<p>{}</p>\n", escaped(paragraph));
    }
    for drawing in &report.drawings {
        body += &format!(
            "<figure id=\"{}\">\n<div class=\"figure\" tabindex=\"0\">{}</div><figcaption>{}</figcaption>\n</figure>\n",
            drawing.name,
            enlarged(&drawing.picture),
            escaped(&drawing.caption)
        );
    }
    for (name, grid) in &report.tables {
        let table = grid.html();
        let table = if grid.rows.len() > TOO_LONG {
            format!("<p>{} ({} rows): tables/{name}.csv</p>\n", escaped(&grid.caption), grid.rows.len())
        } else if grid.rows.len() > LONG {
            format!(
                "<details><summary>{} ({} rows)</summary>\n{table}</details>\n",
                escaped(&grid.caption),
                grid.rows.len()
            )
        } else {
            table
        };
        body += &format!("<section id=\"table-{name}\">\n{table}</section>\n");
    }
    body += &learners(report);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE_SHEET}{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// How much of it is there.
fn facts(report: &Report<'_>) -> String {
    let count = |status: Status| report.rows.iter().filter(|row| row.status == status).count();
    let size = match report.study.size {
        Size::Quick => "quick size",
        Size::Full => "full size",
    };
    let mut facts = format!("{} of {} cells, {size}, npvar {}", report.rows.len(), report.total, report.version);
    for status in [Status::TimeLimit, Status::MemoryLimit, Status::Error, Status::Crash] {
        if count(status) > 0 {
            facts += &format!(", {} {}", count(status), status.name());
        }
    }
    facts + "."
}

/// Every learner's full configuration.
fn learners(report: &Report<'_>) -> String {
    let mut text = "<h2>Learners</h2>\n".to_owned();
    for learner in &report.study.learners {
        let config = serde_json::to_string_pretty(&learner.config).expect("a configuration is plain data");
        text += &format!(
            "<details><summary>{}: {}</summary>\n<pre>{}</pre></details>\n",
            escaped(&learner.label),
            escaped(learner.config.info().summary),
            escaped(&config)
        );
    }
    text
}

/// Beside what all pages share. Figures are drawn for white paper: in the dark they are turned over, hues kept; their letters
/// are never below 11 pixels, and what is then wider than the window is scrolled.
const STYLE: &str = "
body { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem }
h1, p, h2 { margin-bottom: .6rem }
h2 { margin-top: 2rem }
.facts { color: var(--quiet) }
figure { margin: 2rem 0 }
.figure, section { overflow-x: auto }
figure svg { display: block; border-radius: 6px }
figcaption, caption { font-size: .9rem; color: var(--quiet); text-align: left; padding: .4rem 0 }
section { margin: 1.5rem 0 }
table { border-collapse: collapse; font-size: .87rem; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink) }
th { border-bottom: 1px solid var(--ink); text-align: left; font-weight: 600 }
th, td { padding: .2rem .6rem; white-space: nowrap }
.number { text-align: right; font-variant-numeric: tabular-nums }
tbody tr:nth-child(even) { background: var(--card) }
summary { cursor: pointer }
pre { font-size: .8rem; background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: .6rem; overflow-x: auto }
@media screen and (prefers-color-scheme: dark) { figure svg { filter: invert(.92) hue-rotate(180deg) } }
@media print { .figure, section { overflow: visible } figure { break-inside: avoid } }
";

/// The figure's smallest letters are of this size, on paper; on a page they are of the other.
const LETTERS: (f64, f64) = (9.0, 11.0);

/// A picture as large as its letters need.
fn enlarged(picture: &Picture) -> String {
    let (width, height) = picture.size();
    let [wide, high] = [width, height].map(|side| (side * LETTERS.1 / LETTERS.0).ceil());
    let size = |width: f64, height: f64| format!(" width=\"{width}\" height=\"{height}\"");
    picture.svg().replacen(&size(width.round(), height.round()), &size(wide, high), 1)
}
