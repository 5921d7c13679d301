//! Tables that people bring, and files that are none.

use super::chance::Chance;

/// A file and what it is.
pub(super) struct Made {
    pub(super) kind: &'static str,
    pub(super) bytes: Vec<u8>,
}

type Column = fn(&mut Chance, usize, f64) -> f64;

/// What each value is made of: chance, its row, and the value to its left.
const KINDS: [(&str, Column); 12] = [
    ("linear", |chance, _, left| 0.8 * left + chance.noise()),
    ("sine", |chance, _, left| (2.0 * left).sin() + 0.5 * chance.noise()),
    ("binary", |chance, _, left| f64::from(left + chance.noise() > 0.0)),
    ("few values", |chance, _, left| (left + chance.noise()).round().clamp(-2.0, 2.0)),
    ("constant in part", |chance, row, left| if row < 40 { 3.0 } else { left + chance.noise() }),
    ("copies", |_, row, left| if left == 0.0 { (row as f64 * 0.7).sin() } else { left }),
    ("affine copies", |_, row, left| if left == 0.0 { (row as f64 * 0.7).sin() } else { 1.0 - 2.0 * left }),
    ("large", |chance, _, left| 1e9 * chance.noise() + left),
    ("tiny", |chance, _, left| 1e-9 * chance.noise() + 0.5 * left),
    ("beyond squares", |chance, _, _| 1e200 * chance.noise()),
    ("below squares", |chance, _, _| 1e-200 * chance.noise()),
    ("one outlier", |chance, row, left| if row == 7 { 1e12 } else { left + chance.noise() }),
];

/// Names that have been trouble somewhere.
const NAMES: [&str; 14] = [
    "constructor",
    "toString",
    "__proto__",
    "a b",
    "x\u{1b}[31m",
    "\"quoted\"",
    "<b>bold</b>",
    "naïve",
    "漢字",
    "a\tb",
    "-",
    "NA",
    "\u{202e}left",
    "length",
];

/// A file of any kind.
pub(super) fn any(chance: &mut Chance) -> Made {
    if chance.once_in(3) { not_a_table(chance) } else { table(chance) }
}

/// A table of numbers that some learner can learn from, more or less.
pub(super) fn table(chance: &mut Chance) -> Made {
    let (kind, value) = *chance.one_of(&KINDS);
    let (n, d) =
        *chance.one_of(&[(200, 4), (200, 4), (60, 6), (1000, 3), (12, 20), (2, 3), (1, 2), (500, 12), (40, 60)]);
    let separator = *chance.one_of(&[",", ",", ",", ";", "\t", " "]);
    let end = *chance.one_of(&["\n", "\n", "\r\n"]);
    let missing = chance.once_in(8);
    let mut lines = vec![(0..d).map(|j| name(chance, j)).collect::<Vec<_>>().join(separator)];
    for row in 0..n {
        let mut left = 0.0;
        let fields: Vec<String> = (0..d)
            .map(|_| {
                left = value(chance, row, left);
                if missing && chance.once_in(30) { "NA".to_owned() } else { left.to_string() }
            })
            .collect();
        lines.push(fields.join(separator));
    }
    let mark = if chance.once_in(10) { "\u{feff}" } else { "" };
    Made { kind, bytes: (mark.to_owned() + &lines.join(end) + end).into_bytes() }
}

fn name(chance: &mut Chance, j: usize) -> String {
    if chance.once_in(6) { format!("\"{}{j}\"", chance.one_of(&NAMES).replace('"', "\"\"")) } else { format!("X{j}") }
}

/// A file that cannot be learned from as it stands.
fn not_a_table(chance: &mut Chance) -> Made {
    let mut bytes = table(chance).bytes;
    let kind = *chance.one_of(&[
        "empty",
        "header alone",
        "cut off",
        "a changed byte",
        "noise",
        "a text column",
        "true among decimals",
        "infinity",
        "ragged",
        "an open quote",
        "one long line",
        "UTF-16",
        "Latin-1",
        "NUL bytes",
        "says it is gzip",
        "says it is Parquet",
        "says it is Arrow",
        "a repeated name",
        "blank lines",
    ]);
    let at = |chance: &mut Chance, bytes: &[u8]| chance.below(bytes.len().max(1));
    match kind {
        "empty" => bytes.clear(),
        "header alone" => bytes.truncate(bytes.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1)),
        "cut off" => bytes.truncate(at(chance, &bytes)),
        "a changed byte" => {
            let place = at(chance, &bytes);
            bytes[place] = chance.next() as u8;
        }
        "noise" => bytes = (0..chance.between(1, 5000)).map(|_| chance.next() as u8).collect(),
        "a text column" => bytes = b"a,b,c\n1,2,red\n2,1,blue\n3,3,red\n4,1,green\n".to_vec(),
        "true among decimals" => bytes = b"a,b\n0.5,2\ntrue,1\n0.25,3\n".to_vec(),
        "infinity" => bytes.extend(b"inf,1e999,-inf\n"),
        "ragged" => bytes.extend(b"1\n1,2,3,4,5,6,7,8,9\n"),
        "an open quote" => bytes.extend(b"\"1,2\n3,4\n"),
        "one long line" => bytes = b"1,".repeat(2_000_000),
        "UTF-16" => {
            bytes = [0xff, 0xfe]
                .into_iter()
                .chain(String::from_utf8_lossy(&bytes).encode_utf16().flat_map(u16::to_le_bytes))
                .collect();
        }
        "Latin-1" => bytes.splice(0..0, *b"h\xf6he,").for_each(drop),
        "NUL bytes" => bytes.splice(0..0, [0; 9]).for_each(drop),
        "says it is gzip" => bytes.splice(0..0, *b"\x1f\x8b\x08\0").for_each(drop),
        "says it is Parquet" => bytes = [b"PAR1", &bytes[..], b"\x10\0\0\0PAR1"].concat(),
        "says it is Arrow" => bytes = [b"ARROW1\0\0", &bytes[..], b"\x10\0\0\0ARROW1"].concat(),
        "a repeated name" => bytes = b"a,a\n1,2\n2,1\n3,4\n".to_vec(),
        _ => bytes = b"\n\n \n".repeat(1000),
    }
    Made { kind, bytes }
}
