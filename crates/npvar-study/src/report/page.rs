//! One page with everything in it: no scripts, nothing to load.

use npvar_draw::escaped;

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
            "<figure id=\"{}\">\n{}<figcaption>{}</figcaption>\n</figure>\n",
            drawing.name,
            drawing.svg,
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
         content=\"width=device-width\">\n<title>{title}</title>\n{STYLE}</head>\n<body>\n{body}</body>\n</html>\n"
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

const STYLE: &str = "<style>
body { font: 15px/1.5 system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin-bottom: .2rem }
h2 { font-size: 1.15rem; margin-top: 2rem }
.facts { color: #666; margin-top: 0 }
figure { margin: 2rem 0 }
figure svg { max-width: 100%; height: auto; display: block }
figcaption, caption { font-size: .9rem; color: #444; text-align: left; padding: .4rem 0 }
section { overflow-x: auto; margin: 1.5rem 0 }
table { border-collapse: collapse; font-size: .85rem; border-top: 1.5px solid #222; border-bottom: 1.5px solid #222 }
th { border-bottom: 1px solid #222; text-align: left; font-weight: 600 }
th, td { padding: .15rem .6rem; white-space: nowrap }
.number { text-align: right; font-variant-numeric: tabular-nums }
tbody tr:nth-child(even) { background: #f6f6f6 }
summary { cursor: pointer }
pre { font-size: .8rem; background: #f6f6f6; padding: .6rem; overflow-x: auto }
</style>
";
