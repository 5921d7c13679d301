//! The word that someone may have meant.

/// The known word that differs least from another: in at most a third of its letters, a letter moved by one counting as one.
pub(super) fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let most = word.chars().count().div_ceil(3);
    let near = known.map(|other| (distance(word, other), other)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, other)| other)
}

/// The question, to be put after the unknown word.
pub(super) fn did_you_mean(word: &str) -> String {
    format!(" (did you mean `{word}`?)")
}

/// How many letters must be put in, taken out, replaced or exchanged with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_a_slip_is_recognised_and_another_word_is_not() {
        let known = ["npvar", "eqvar", "cam", "notears", "notears-mlp", "best-order"];
        for (written, meant) in [
            ("npavr", Some("npvar")),
            ("notear", Some("notears")),
            ("Best_Order", Some("best-order")),
            ("lingam", None),
        ] {
            assert_eq!(nearest(written, known.into_iter()), meant, "{written}");
        }
    }
}
