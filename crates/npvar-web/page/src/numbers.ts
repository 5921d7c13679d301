// Numbers for people, written as the command line writes them.

export function pValue(p: number): string {
  if (p === 0) return "<1e-300";
  return p < 1e-3 ? p.toExponential(1) : p.toFixed(4);
}

/** Four significant digits, without an exponent where that is readable. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(3);
  const before = size === 0 ? 0 : Math.floor(Math.log10(size));
  return value.toFixed(Math.min(6, Math.max(0, 3 - before)));
}

/** The same in a sentence: without zeros at the end. */
export const brief = (value: number): string => (/e/.test(number(value)) ? number(value) : String(Number(number(value))));

export const share = (value: number): string => `${Math.round(100 * value)} %`;

export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

export function seconds(value: number): string {
  if (value < 0.1) return `${(1e3 * value).toFixed(1)} ms`;
  if (value < 60) return `${value.toFixed(2)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

/** Round numbers that divide a range into about `wanted` parts. */
export function ticks(low: number, high: number, wanted: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const found: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high + 1e-9 * step; at += step) {
    found.push(Math.abs(at) < 1e-9 * step ? 0 : at);
  }
  return found;
}

/** A tick's label, no longer than it must be. */
export const tick = (value: number): string => String(Number(value.toPrecision(6)));
