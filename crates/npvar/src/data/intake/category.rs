//! The words of a category, the rare ones pooled.

use std::collections::BTreeMap;

use super::entry::shown;
use super::plan::Reading;
use crate::data::options::Categories;

/// A word with fewer rows is rare.
const ROWS_PER_WORD: usize = 5;
/// Rare words are pooled while they have one cell in this many at most.
const CELLS_PER_RARE: usize = 5;
/// Words that a sentence lists.
const LISTED: usize = 9;

/// The words of a column: those that have an effect of their own, and those that share one.
pub(super) struct Words {
    own: Vec<Vec<u8>>,
    pooled: Vec<Vec<u8>>,
}

impl Words {
    /// Of a column by how often each word comes in how many cells. Words are pooled where two or more are rare, are not many
    /// of the cells, and two common ones remain beside them.
    pub(super) fn of(counts: &BTreeMap<Vec<u8>, usize>, cells: usize) -> Words {
        let is_rare = |count: usize| count < ROWS_PER_WORD;
        let rare: usize = counts.values().filter(|&&count| is_rare(count)).sum();
        let (pooled, own): (Vec<_>, Vec<_>) = counts.iter().partition(|&(_, &count)| is_rare(count));
        let words = |some: Vec<(&Vec<u8>, &usize)>| some.into_iter().map(|(word, _)| word.clone()).collect();
        if pooled.len() >= 2 && own.len() >= 2 && rare * CELLS_PER_RARE <= cells {
            return Words { own: words(own), pooled: words(pooled) };
        }
        Words { own: counts.keys().cloned().collect(), pooled: Vec::new() }
    }

    /// How many effects they have.
    pub(super) fn count(&self) -> usize {
        self.own.len() + usize::from(!self.pooled.is_empty())
    }

    /// Codes in alphabetical order, the pooled words last.
    pub(super) fn reading(self) -> Reading {
        let last = self.own.len();
        let own = self.own.into_iter().enumerate().map(|(code, word)| (word, code));
        Reading::Levels(own.chain(self.pooled.into_iter().map(|word| (word, last))).collect())
    }

    /// What is said of them.
    pub(super) fn told(&self, taken: Categories) -> String {
        let mut words = format!("{} words ({})", self.own.len() + self.pooled.len(), listed(&self.own));
        if !self.pooled.is_empty() {
            words += &format!("; {} rare ones share one effect ({})", self.pooled.len(), listed(&self.pooled));
        }
        match taken {
            Categories::Anywhere => words,
            _ => format!("{words}, each with an effect of its own; it may be a cause, and what causes it is not asked"),
        }
    }
}

fn listed(words: &[Vec<u8>]) -> String {
    let mut shown: Vec<String> = words.iter().take(LISTED).map(|word| format!("`{}`", shown(word))).collect();
    if words.len() > LISTED {
        shown.push(format!("{} more", words.len() - LISTED));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(counts: &[(&str, usize)]) -> Words {
        let cells = counts.iter().map(|(_, count)| count).sum();
        Words::of(&counts.iter().map(|(word, count)| (word.as_bytes().to_vec(), *count)).collect(), cells)
    }

    #[test]
    fn rare_words_share_the_last_code() {
        let pooled = words(&[("a", 30), ("b", 4), ("c", 20), ("d", 1), ("e", 9)]);
        assert_eq!(pooled.count(), 4);
        assert_eq!(
            pooled.told(Categories::Anywhere),
            "5 words (`a`, `c`, `e`); 2 rare ones share one effect (`b`, `d`)"
        );
        let reading = pooled.reading();
        assert_eq!(["a", "b", "c", "d", "e"].map(|word| reading.value(word.as_bytes())), [0.0, 3.0, 1.0, 3.0, 2.0]);
    }

    #[test]
    fn one_rare_word_or_many_rare_cells_are_not_pooled() {
        assert_eq!(words(&[("a", 30), ("b", 4), ("c", 20)]).count(), 3);
        assert_eq!(words(&[("a", 6), ("b", 4), ("c", 4), ("d", 6)]).count(), 4);
        assert_eq!(words(&[("a", 40), ("b", 4), ("c", 4)]).count(), 3, "one common word and the rest would be two");
    }
}
