// Where a value that is never negative stands between nothing and the largest: in proportion, or by its logarithm where most
// values would lie on the floor otherwise.

/** From this ratio of the largest to the smallest on, proportions show nothing but the largest. */
const WIDE = 1000;

export interface Scale {
  logarithmic: boolean;
  /** Between 0 and 1. */
  at: (value: number) => number;
}

export function scale(values: number[], largest = Math.max(...values)): Scale {
  const positive = values.filter((value) => value > 0);
  const least = Math.min(...positive);
  if (!(largest > 0) || positive.length < 3 || largest / least < WIDE) {
    return { logarithmic: false, at: (value) => Math.max(0, value) / (largest > 0 ? largest : 1) };
  }
  // The smallest keeps a part of the room that can be seen.
  const floor = Math.log10(least) - 0.08 * Math.log10(largest / least);
  const room = Math.log10(largest) - floor;
  return { logarithmic: true, at: (value) => (value > 0 ? Math.max(0, (Math.log10(value) - floor) / room) : 0) };
}
