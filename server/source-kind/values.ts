import { z } from 'zod';
import { ConfigError } from '../config-error';

/** Empty is not "not stated": an empty host would be every address, an empty data dir the working directory. */
export const text = z.string().trim().min(1, 'expected a non-empty string');

/** As a number in a file, or as its digits from a flag or variable. Number() alone makes 0 of an empty text. */
export function number(expected: string, isRight: (value: number) => boolean) {
  return z.unknown().transform((said, context) => {
    const isDigits = typeof said === 'string' && /^\d+(?:\.\d+)?$/.test(said.trim());
    const value = typeof said === 'number' ? said : isDigits ? Number(said) : Number.NaN;
    if (isRight(value)) return value;
    context.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
}

export const positiveCount = number(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && value > 0,
);
export const positive = number('a number above 0', (value) => value > 0 && value < Number.POSITIVE_INFINITY);

export const interval = z.union([z.number().positive(), z.string()]);

/** "1s", "500ms", "2m" or a number of milliseconds. */
export function parseIntervalMs(said: string | number, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(String(said).trim());
  const unitMs = { ms: 1, s: 1000, m: 60_000 }[match?.[2] ?? 'ms'] ?? 1;
  const intervalMs = Number(match?.[1]) * unitMs;
  if (!(intervalMs >= 100 && intervalMs <= 3_600_000)) {
    throw new ConfigError(`${flag}: expected 100ms to 60m, got ${JSON.stringify(said)}`);
  }
  return intervalMs;
}
