//! Rows of cells as comma-separated text.

/// A sheet.
pub(super) struct Sheet {
    pub(super) name: String,
    pub(super) text: Vec<u8>,
}

/// The text of a sheet in the making.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<Vec<String>>,
    row: Vec<String>,
}

impl Rows {
    /// Puts a cell at a 0-based column of the row to come.
    pub(super) fn put(&mut self, column: usize, cell: String) {
        if self.row.len() <= column {
            self.row.resize(column + 1, String::new());
        }
        self.row[column] = cell;
    }

    /// Ends the row; one without cells is none.
    pub(super) fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        if row.iter().any(|cell| !cell.trim().is_empty()) {
            self.rows.push(row);
        }
    }

    /// The text of all rows, each as long as the longest.
    pub(super) fn finish(self) -> Vec<u8> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = Vec::new();
        for row in self.rows {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            text.extend_from_slice(cells.join(",").as_bytes());
            text.extend(std::iter::repeat_n(b',', columns - row.len()));
            text.push(b'\n');
        }
        text
    }
}

fn quoted(cell: &str) -> String {
    match cell.contains(['"', ',', '\n', '\r', ';', '\t']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// The day and time of a serial number as ISO writes it: days since 30 December 1899.
pub(super) fn date(serial: f64) -> String {
    let days = serial.floor() as i64 - 25_569; // days from 1970
    let seconds = ((serial - serial.floor()) * 86_400.0).round() as i64;
    // The calendar by eras of 400 years that begin with March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + 400 * era + i64::from(month <= 2);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (serial < 1.0, seconds) {
        (true, _) => clock,
        (false, 0) => format!("{year:04}-{month:02}-{day:02}"),
        (false, _) => format!("{year:04}-{month:02}-{day:02} {clock}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From LibreOffice: `=TEXT(43861,"YYYY-MM-DD")` and the like.
    #[test]
    fn serial_numbers_are_days() {
        assert_eq!(date(43_861.0), "2020-01-31");
        assert_eq!(date(36_526.5), "2000-01-01 12:00:00");
        assert_eq!(date(60.0), "1900-02-28"); // 29 February in Excel, which takes 1900 for a leap year
        assert_eq!(date(0.25), "06:00:00");
    }
}
