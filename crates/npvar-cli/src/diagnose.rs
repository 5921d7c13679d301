//! `npvar diagnose`: are the assumptions believable for these data?

use anyhow::Result;
use npvar::data::ColumnKind;
use npvar::judge::{Diagnosis, diagnose};
use npvar::{Run, Seed};

use crate::args::DiagnoseArguments;
use crate::progress::{Show, Watch};
use crate::table::{load, readable, tell_intake};
use crate::terminal::Stream;
use crate::text::{self, Align, row};
use crate::{interrupt, output};

pub(crate) fn run(arguments: &DiagnoseArguments) -> Result<()> {
    let watch = Watch::new(Show::IfTerminal);
    let loaded = load(&arguments.read)?;
    tell_intake(&loaded.intake);
    // NPVAR as the paper ran it makes no random choice.
    let run = Run::new(Seed(0)).observed(&watch).stopped_by(interrupt::stop_flag());
    let diagnosis = interrupt::computing(|| diagnose(&loaded, &run));
    let diagnosis = diagnosis.map_err(|error| readable(error, &arguments.read.data))?;
    watch.finish();
    if arguments.json {
        return output::print(&output::json(&diagnosis)?);
    }
    output::print(&page(&diagnosis))
}

fn page(diagnosis: &Diagnosis) -> String {
    let mut page = format!("{} samples of {} columns\n\n", diagnosis.n, diagnosis.columns.len());
    page += &columns(diagnosis);
    page += "\nR2: the share of a column's variance that the others explain linearly; residual variance: what is left of it\n\
             when the column joins the order.\n\nSteps of the order search\n\n";
    page += &steps(diagnosis);
    page += "\nahead: by how many standard errors the node's residual variance is below the runner-up's; ratio: by what\n\
             factor the node's noise could be larger before the step goes wrong.\n\n";
    let share = |value: Option<f64>| value.map_or_else(|| "none (no directed path)".to_owned(), |v| format!("{v:.2}"));
    let spread = diagnosis.residual_variance_ratio.map_or_else(|| "none".to_owned(), text::number);
    page += &text::table(
        &[Align::Left, Align::Left],
        &[
            row(["largest by smallest residual variance", &spread]),
            row(["var-sortability of the learned graph", &share(diagnosis.var_sortability)]),
            row(["R2-sortability of the learned graph", &share(diagnosis.r2_sortability)]),
        ],
    );
    if !diagnosis.diagnostics.is_empty() {
        page.push('\n');
    }
    for diagnostic in &diagnosis.diagnostics {
        page += &output::explained(diagnostic, Stream::Out);
        page.push('\n');
    }
    page
}

fn columns(diagnosis: &Diagnosis) -> String {
    let mut rows = vec![row(["column", "kind", "variance", "R2", "residual variance"])];
    rows.extend(diagnosis.columns.iter().map(|column| {
        let kind = match column.kind {
            ColumnKind::Continuous => "continuous",
            ColumnKind::FewValued => "few-valued",
            ColumnKind::Binary => "binary",
            ColumnKind::Constant => "constant",
        };
        let residual = column.residual_variance.map_or_else(String::new, text::number);
        row([&column.name, kind, &text::number(column.variance), &format!("{:.3}", column.r_squared), &residual])
    }));
    text::table(&[Align::Left, Align::Left, Align::Right, Align::Right, Align::Right], &rows)
}

fn steps(diagnosis: &Diagnosis) -> String {
    let mut rows = vec![row(["step", "node", "runner-up", "ahead", "ratio"])];
    rows.extend(diagnosis.margins.iter().enumerate().map(|(step, margin)| {
        let errors = if margin.standard_error > 0.0 { margin.ahead / margin.standard_error } else { f64::INFINITY };
        let errors = if errors.is_finite() { format!("{errors:.1}") } else { "-".to_owned() };
        let ratio = margin.ratio.map_or_else(|| "-".to_owned(), text::number);
        row([&(step + 1).to_string(), &margin.winner, &margin.runner_up, &errors, &ratio])
    }));
    text::table(&[Align::Right, Align::Left, Align::Left, Align::Right, Align::Right], &rows)
}
