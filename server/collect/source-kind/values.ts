import * as z from 'zod';
import { ConfigError } from '../../config-error';
import { parseTarget } from '../../transport/targets/target';

/** Rejects empty text: an empty host would be every address, an empty data dir the working directory. */
export const text = z.string().trim().min(1, 'expected a non-empty string');

/** A number of a file, or the digits of a flag or variable. Number() alone converts an empty text to 0. */
export function number(expected: string, isValid: (value: number) => boolean) {
  return z.unknown().transform((stated, context) => {
    const isDigits = typeof stated === 'string' && /^\d+(?:\.\d+)?$/.test(stated.trim());
    const value = typeof stated === 'number' || isDigits ? Number(stated) : Number.NaN;
    if (isValid(value)) return value;
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

/** Parses "1s", "500ms", "2m" or a number of milliseconds. Throws ConfigError with `flag`. */
export function parseIntervalMs(stated: string | number, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(String(stated).trim());
  const unitMs = { ms: 1, s: 1000, m: 60_000 }[match?.[2] ?? 'ms'] ?? 1;
  const intervalMs = Number(match?.[1]) * unitMs;
  if (!(intervalMs >= 100 && intervalMs <= 3_600_000)) {
    throw new ConfigError(`${flag}: expected 100ms to 60m, got ${JSON.stringify(stated)}`);
  }
  return intervalMs;
}

interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly text: string;
}

/** Parses an address to listen on. Throws ConfigError with `where`. */
export function parseListen(where: string, address: string): ListenAddress {
  const hostOfAnyPort = /^(.+):0$/.exec(address.trim())?.[1];
  const parsed = parseTarget(hostOfAnyPort === undefined ? address : `${hostOfAnyPort}:1`);
  if (!parsed.ok) throw new ConfigError(`${where}: ${parsed.problem.message}`);
  const { host, port } = parsed.target;
  return hostOfAnyPort === undefined
    ? { host, port, text: parsed.target.text }
    : { host, port: 0, text: `${hostOfAnyPort}:0` };
}

/** An entry of the config file that may be its `key` alone, as "host:port" is a target. `expected` is for errors. */
export function entryOf<Shape extends z.ZodRawShape>(key: string, shape: Shape, expected: string) {
  return z.preprocess(
    (stated) => (typeof stated === 'string' ? { [key]: stated } : stated),
    z.strictObject(shape, {
      error: ({ code }) => (code === 'invalid_type' ? `expected ${expected}` : undefined),
    }),
  );
}
