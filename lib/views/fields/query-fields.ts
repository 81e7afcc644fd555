import * as z from 'zod';
import { normaliseTypeUrl, resourceTypes } from '../../xds/resource-type';

export function described<T extends z.ZodType>(type: T, description: string): T {
  return type.meta({ description }) as T;
}

export const at = described(
  z.string().max(100).optional(),
  'The moment that the answer is about: an ISO 8601 time, or the moment right after an event, as in seq:4711. Default: now.',
);

/** The number of items before the first item of the answer. */
export function offset(items: string) {
  return described(z.coerce.number<number>().int().min(0).max(10_000_000).default(0), `${items} to skip.`);
}

export function limit(items: string, { min = 0, max, otherwise = max }: LimitRange) {
  return described(
    z.coerce.number<number>().int().min(min).max(max).default(otherwise),
    `The largest number of ${items} in the answer.`,
  );
}

interface LimitRange {
  readonly min?: number;
  readonly max: number;
  /** The default; absent: the maximum. */
  readonly otherwise?: number;
}

export const typeUrl = described(z.string().min(1), 'Type URL of the resource.');
/** Sources may report an empty name. */
export const resourceName = described(z.string(), 'Name of the resource.');

/** ISO 8601, as epoch milliseconds. */
export const isoTime = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** ISO 8601, or the milliseconds of answers. An invalid time aborts, so that no refinement reads it as a number. */
export const timeParameter = z.union(
  [
    isoTime,
    z.coerce
      .string<string | number>()
      .regex(/^-?\d{1,15}(?:\.\d+)?$/)
      .transform((text) => Math.floor(Number(text))),
  ],
  { error: 'expected an ISO 8601 time as in 2026-11-21T11:04:07.123Z, or milliseconds since 1970' },
);

export function epochTime(description: string) {
  return described(timeParameter.optional(), description);
}

/** A name or an id, as a filter. */
export const textParameter = z.string().min(1).max(4096);

/** A type URL, or a short name as in CDS. */
export const typeParameter = textParameter.transform((value, context) => {
  const known = resourceTypes.find((type) => type.service === value.toUpperCase());
  if (known !== undefined) return known.typeUrl;
  if (value.includes('.')) return normaliseTypeUrl(value);
  const services = resourceTypes.map((type) => type.service).join(', ');
  context.addIssue({ code: 'custom', message: `expected a type URL or one of ${services}, got "${value}"` });
  return z.NEVER;
});

export const fileName = described(z.string().default(''), 'The name that is listed, as that of the file.');
