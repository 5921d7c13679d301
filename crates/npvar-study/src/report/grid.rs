//! A table as text, in the formats people paste.

use npvar_draw::escaped;

/// A table with a caption; the first `labels` columns are words, the others numbers.
pub(super) struct Grid {
    pub(super) caption: String,
    pub(super) header: Vec<String>,
    pub(super) labels: usize,
    pub(super) rows: Vec<Vec<String>>,
    /// Another header and rows for programs (CSV), where those for people round.
    pub(super) exact: Option<(Vec<String>, Vec<Vec<String>>)>,
}

impl Grid {
    /// For people, columns in which no row has anything go; programs find the same columns in every study.
    pub(super) fn without_empty_columns(self) -> Grid {
        let is_empty = |column: &usize| self.rows.iter().all(|row| matches!(row[*column].as_str(), "" | "–"));
        let kept: Vec<usize> = (0..self.header.len()).filter(|column| !is_empty(column)).collect();
        if self.rows.is_empty() || kept.len() == self.header.len() {
            return self;
        }
        let picked = |row: &Vec<String>| kept.iter().map(|&column| row[column].clone()).collect();
        Grid {
            labels: kept.iter().filter(|column| **column < self.labels).count(),
            header: picked(&self.header),
            rows: self.rows.iter().map(picked).collect(),
            exact: self.exact.or(Some((self.header, self.rows))),
            caption: self.caption,
        }
    }

    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: Vec<&str> =
            (0..self.header.len()).map(|column| if column < self.labels { "---" } else { "---:" }).collect();
        let mut text = format!("{}\n\n{}|{}|\n", self.caption, line(&self.header), rule.join("|"));
        text.extend(self.rows.iter().map(|row| line(row)));
        text
    }

    pub(super) fn csv(&self) -> String {
        let (header, rows) = self.exact.as_ref().map_or((&self.header, &self.rows), |(header, rows)| (header, rows));
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(header).chain(rows) {
            writer.write_record(row).expect("rows are of equal length, and memory can be written");
        }
        String::from_utf8(writer.into_inner().expect("memory can be written")).expect("cells are text")
    }

    /// A `table` with the rules of `booktabs`.
    pub(super) fn latex(&self) -> String {
        let columns: String =
            (0..self.header.len()).map(|column| if column < self.labels { 'l' } else { 'r' }).collect();
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| latex(cell)).collect();
            format!("{} \\\\\n", cells.join(" & "))
        };
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!(
            "% \\usepackage{{booktabs}}\n\\begin{{table}}[t]\n\\centering\n\\caption{{{}}}\n\\begin{{tabular}}{{{columns}}}\n\
             \\toprule\n{}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n",
            latex(&self.caption),
            line(&self.header)
        )
    }

    pub(super) fn html(&self) -> String {
        let cell = |tag: &str, column: usize, text: &str| {
            let class = if column < self.labels { "" } else { " class=\"number\"" };
            format!("<{tag}{class}>{}</{tag}>", escaped(text))
        };
        let line = |tag: &str, cells: &[String]| {
            let cells: String = cells.iter().enumerate().map(|(column, text)| cell(tag, column, text)).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(|row| line("td", row)).collect();
        format!(
            "<table>\n<caption>{}</caption>\n<thead>{}</thead>\n<tbody>{rows}</tbody>\n</table>\n",
            escaped(&self.caption),
            line("th", &self.header)
        )
    }
}

/// Text for LaTeX.
fn latex(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', letter]),
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '±' => out += "$\\pm$",
            '²' => out += "$^2$",
            'σ' => out += "$\\sigma$",
            '×' => out += "$\\times$",
            '≥' => out += "$\\ge$",
            '≤' => out += "$\\le$",
            '>' => out += "$>$",
            '<' => out += "$<$",
            '–' => out += "--",
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_anything_are_left_out_for_people_only() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = vec![row(["a", "", "–", "1"]), row(["b", "", "2", ""])];
        let grid = Grid { caption: String::new(), header: row(["x", "y", "z", "w"]), labels: 2, rows, exact: None };
        let grid = grid.without_empty_columns();
        assert_eq!((&grid.header[..], grid.labels), (&["x", "z", "w"].map(str::to_owned)[..], 1));
        assert_eq!(grid.csv(), "x,y,z,w\na,,–,1\nb,,2,\n");
    }

    #[test]
    fn special_characters_are_written_as_each_format_wants_them() {
        let rows = vec![vec!["a|b_c".to_owned(), "1, 2 ± 3".to_owned()]];
        let header = ["learner", "σ² < 1"].map(str::to_owned).to_vec();
        let grid = Grid { caption: "100 %".to_owned(), header, labels: 1, rows, exact: None };
        assert_eq!(grid.markdown(), "100 %\n\n| learner | σ² < 1 |\n|---|---:|\n| a\\|b_c | 1, 2 ± 3 |\n");
        assert_eq!(grid.csv(), "learner,σ² < 1\na|b_c,\"1, 2 ± 3\"\n");
        assert!(grid.latex().contains("\\caption{100 \\%}"));
        assert!(grid.latex().contains("\\begin{tabular}{lr}"));
        assert!(grid.latex().contains("a|b\\_c & 1, 2 $\\pm$ 3 \\\\"));
        assert!(grid.latex().contains("$\\sigma$$^2$ $<$ 1"));
        assert!(grid.html().contains("<th class=\"number\">σ² &lt; 1</th>"));
    }
}
