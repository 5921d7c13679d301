//! Choices that look random and follow from a seed.

/// SplitMix64.
pub(super) struct Chance(u64);

impl Chance {
    /// The choices of one trial of a run.
    pub(super) fn of(seed: u64, trial: usize) -> Self {
        let mut chance = Chance(seed ^ 0x9e37_79b9_7f4a_7c15);
        let mixed = chance.next();
        Chance(mixed ^ (trial as u64).wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `most`, which is not zero.
    pub(super) fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    pub(super) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    pub(super) fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// True once in so many times.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Between −1 and 1.
    pub(super) fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Roughly Gaussian, of variance one.
    pub(super) fn noise(&mut self) -> f64 {
        (0..3).map(|_| self.number()).sum()
    }
}
