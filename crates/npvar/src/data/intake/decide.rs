//! From a look to a plan: what each column is taken as, and what is left out.

use super::category::Words;
use super::column_look::ColumnLook;
use super::entry::{IntakeEntry, shown};
use super::lacking::gap_use;
use super::look::TableLook;
use super::plan::{ColumnPlan, Plan, Reading};
use crate::data::levels::MOST_LEVELS;
use crate::data::options::{Categories, ColumnChoice, Decimal, Missing, ReadOptions, Strictness};
use crate::error::{Error, Result};

/// A category of three or more levels has this many rows for each on average.
const ROWS_PER_LEVEL: usize = 5;
/// A column of numbers stays one when one cell in this many, at most, is none.
const NUMBERS_PER_ODD: usize = 20;
/// Fewer rows may count up by chance.
const FEWEST_COUNTED: usize = 10;

/// What becomes of a column.
enum Fate {
    Read(Reading, Option<IntakeEntry>),
    Category(Words),
    LeftOut(String),
    /// It could be used, but not by this learner.
    NotHere(String),
    /// It could be read in two ways.
    Unclear(String),
}

/// What the shape of the file says about its numbers.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings {
    /// Whether commas stand between the fields.
    pub(crate) commas_between: bool,
}

impl TableLook {
    /// Decides how every column is read.
    ///
    /// # Errors
    /// When fewer than two columns can be used, a column can be read in two ways, or something had to be done that the options
    /// forbid; the message lists all columns that are concerned.
    pub(crate) fn plan(mut self, source_name: &str, options: &ReadOptions, around: Surroundings) -> Result<Plan> {
        if self.rows == 0 {
            return Err(Error::NoRows { source_name: source_name.to_owned() });
        }
        let refuse = |problems: Vec<IntakeEntry>, instead: Option<ReadOptions>| Error::Unusable {
            source_name: source_name.to_owned(),
            problems: problems.iter().map(IntakeEntry::to_string).collect(),
            instead: instead.map(|options| options.words()),
        };
        let asked = matches!(options.columns, ColumnChoice::Only(_));
        let signs = Signs::of(&self.columns);
        let (mut columns, mut entries, mut unclear, mut refused) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (j, (name, look)) in self.names.iter().zip(&self.columns).enumerate() {
            let fate = self.fate(look, options, around, signs, asked);
            if let (Fate::Read(Reading::Plain | Reading::Written(_), _), Some((value, count))) =
                (&fate, look.sentinel())
            {
                let why = format!(
                    "{value} stands in {count} cells, far outside the others; if it means that there is no value, write NA"
                );
                entries.push(IntakeEntry::column(name, "kept as it is", why));
            }
            match fate {
                Fate::Read(reading, entry) => {
                    entries.extend(entry.map(|entry| IntakeEntry { column: Some(name.clone()), ..entry }));
                    let plan = ColumnPlan { name: name.clone(), reading, is_category: false };
                    columns.push((j, plan));
                }
                Fate::Category(words) => {
                    entries.push(IntakeEntry::column(name, "taken as a category", words.told(options.categories)));
                    columns.push((j, ColumnPlan { name: name.clone(), reading: words.reading(), is_category: true }));
                }
                Fate::LeftOut(why) => {
                    let entry = IntakeEntry::column(name, "left out", why);
                    refused.extend(asked.then(|| entry.clone()));
                    entries.push(entry);
                }
                Fate::NotHere(why) => entries.push(IntakeEntry::column(name, "left out", why)),
                Fate::Unclear(why) => unclear.push(IntakeEntry::column(name, "cannot be read for certain", why)),
            }
        }
        if !unclear.is_empty() {
            let instead = ReadOptions { decimal: Decimal::Comma, strictness: Strictness::Forgiving, ..options.clone() };
            return Err(refuse(unclear, Some(instead)));
        }
        if columns.len() < 2 || !refused.is_empty() {
            // A column that counts the rows may be a year: where there is little else, it can be asked for.
            let counts = |name: &str, look: &ColumnLook| {
                columns.len() < 2 && look.is_identifier() && !name.starts_with("unnamed_") && name != "row.names"
            };
            let is_read = |name: &str| columns.iter().any(|(_, column)| column.name == *name);
            let usable =
                self.names.iter().zip(&self.columns).filter(|(name, look)| is_read(name) || counts(name, look));
            let usable: Vec<String> = usable.map(|(name, _)| name.clone()).collect();
            let works = usable.len() >= 2;
            let instead = ReadOptions { columns: ColumnChoice::Only(usable), ..options.clone() };
            let why = if refused.is_empty() { entries } else { refused };
            return Err(refuse(why, works.then_some(instead)));
        }
        let strict = entries.clone();
        let lacking = self.leave_out(&mut columns, &mut entries, source_name, options)?;
        let forbidden = if options.missing == Missing::Auto { &entries } else { &strict };
        if options.strictness == Strictness::Strict && !forbidden.is_empty() {
            let instead = ReadOptions { strictness: Strictness::Forgiving, ..options.clone() };
            return Err(refuse(forbidden.clone(), Some(instead)));
        }
        let gap_use = gap_use(options);
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        Ok(Plan { columns, lacking, gap_use, entries })
    }

    fn fate(&self, look: &ColumnLook, options: &ReadOptions, around: Surroundings, signs: Signs, asked: bool) -> Fate {
        let present = look.present();
        if present == 0 {
            return Fate::LeftOut("every cell is missing".to_owned());
        }
        if look.numbers > 0 && look.not_numbers() * NUMBERS_PER_ODD <= present {
            return numbers(look, options.decimal, around, signs, asked);
        }
        if look.logical == present {
            return Fate::Read(Reading::Logical, None);
        }
        if 2 * look.numbers > present {
            let odd = look.not_numbers();
            return Fate::LeftOut(format!("{odd} of {present} cells are no numbers: {}", odd_cells(look)));
        }
        if (present - look.times) * NUMBERS_PER_ODD <= present {
            return Fate::LeftOut("it holds dates or times; write them as a number to use them".to_owned());
        }
        let Some(levels) = &look.levels else {
            return Fate::LeftOut("it holds text with many different values, such as names".to_owned());
        };
        let words = Words::of(levels, present);
        let (count, taken) = (levels.len(), words.count());
        match count {
            1 => Fate::LeftOut(format!("it holds one word only, {}", quoted(levels.keys()))),
            2 => {
                let words: Vec<&Vec<u8>> = levels.keys().collect();
                let why = format!("two words: `{}` is 0, `{}` is 1", shown(words[0]), shown(words[1]));
                let entry = IntakeEntry::table("read as 0 and 1", why);
                Fate::Read(Reading::levels(levels.keys().cloned()), Some(entry))
            }
            _ if count == present || taken > MOST_LEVELS => {
                Fate::LeftOut(format!("it holds text with {count} different values in {present} cells"))
            }
            _ if taken * ROWS_PER_LEVEL > present => {
                Fate::LeftOut(format!("{present} cells are too few for a category of {count} words"))
            }
            _ if options.categories == Categories::LeftOut => {
                Fate::NotHere(format!("it is a category of {count} words, which this learner would take for numbers"))
            }
            _ => Fate::Category(words),
        }
    }
}

/// What the columns of numbers say about the decimal sign, together.
#[derive(Clone, Copy)]
struct Signs {
    commas: bool,
    points: bool,
}

impl Signs {
    fn of(columns: &[ColumnLook]) -> Signs {
        let are_numbers =
            |look: &&ColumnLook| look.numbers > 0 && look.not_numbers() * NUMBERS_PER_ODD <= look.present();
        let any = |is: fn(&ColumnLook) -> bool| columns.iter().filter(are_numbers).any(is);
        Signs { commas: any(|look| look.commas > 0), points: any(|look| look.points > 0) }
    }
}

fn numbers(look: &ColumnLook, decimal: Decimal, around: Surroundings, signs: Signs, asked: bool) -> Fate {
    if look.is_identifier() && look.cells >= FEWEST_COUNTED && !asked {
        let what =
            if look.counts_up { "it numbers the rows" } else { "it is an identifier: whole numbers, no two equal" };
        return Fate::LeftOut(what.to_owned());
    }
    if look.percent > 0 && look.percent < look.numbers {
        return Fate::LeftOut(format!(
            "{} of {} numbers have a per cent sign, the others none",
            look.percent, look.numbers
        ));
    }
    if look.currencies.len() > 1 {
        return Fate::LeftOut(format!("its amounts are in different currencies ({})", look.currencies.join(", ")));
    }
    let sign = match decimal {
        Decimal::Comma => ',',
        Decimal::Point => '.',
        Decimal::Detect => match (look.commas > 0, look.points > 0) {
            (true, true) => return Fate::LeftOut("it mixes decimal commas and decimal points".to_owned()),
            (true, false) => ',',
            (false, true) => '.',
            (false, false) if look.unclear_commas > 0 && look.unclear_points > 0 => {
                return Fate::LeftOut(
                    "it mixes commas and points, either of which may stand before decimals".to_owned(),
                );
            }
            (false, false) if look.unclear_commas > 0 => match (signs.commas, signs.points) {
                (true, false) => ',',
                (false, true) => '.',
                (false, false) if around.commas_between => '.',
                _ => return unclear(look, ','),
            },
            (false, false) if look.unclear_points > 0 && signs.commas => return unclear(look, '.'),
            (false, false) => '.',
        },
    };
    let reading = if look.written == 0 && sign == '.' { Reading::Plain } else { Reading::Written(sign) };
    let odd = look.not_numbers();
    let mut entry = None;
    let mut how = Vec::new();
    if look.commas + look.unclear_commas > 0 && sign == ',' {
        how.push("decimal commas".to_owned());
    }
    let grouped =
        sign == '.' && look.unclear_commas > 0 || look.written > look.commas + look.unclear_commas + look.percent;
    if grouped && look.currencies.is_empty() && look.percent == 0 {
        how.push("signs between thousands".to_owned());
    }
    if look.percent > 0 {
        how.push("per cent signs, which were taken off".to_owned());
    }
    how.extend(look.currencies.iter().map(|sign| format!("`{sign}`, which was taken off")));
    if !how.is_empty() {
        entry = Some(IntakeEntry::table("read as numbers", format!("they are written with {}", how.join(" and "))));
    }
    if odd > 0 {
        let cells = if odd == 1 { "1 cell".to_owned() } else { format!("{odd} cells") };
        let also = entry.map(|entry| format!("; {}", entry.why)).unwrap_or_default();
        let why = format!("no numbers: {}{also}", odd_cells(look));
        entry = Some(IntakeEntry::table(format!("took {cells} as missing"), why));
    }
    Fate::Read(reading, entry)
}

fn unclear(look: &ColumnLook, sign: char) -> Fate {
    let cell = look.levels.as_ref().and_then(|levels| levels.keys().find(|cell| cell.contains(&(sign as u8))));
    let cell = cell.map_or_else(|| format!("1{sign}234"), |cell| shown(cell));
    Fate::Unclear(format!("`{cell}` may have decimals or thousands behind its `{sign}`; `--decimal` says which"))
}

fn odd_cells(look: &ColumnLook) -> String {
    look.odd.iter().map(|(row, cell)| format!("`{}` in row {row}", shown(cell))).collect::<Vec<_>>().join(", ")
}

fn quoted<'l>(levels: impl Iterator<Item = &'l Vec<u8>>) -> String {
    levels.map(|level| format!("`{}`", shown(level))).collect::<Vec<_>>().join(", ")
}
