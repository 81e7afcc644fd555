import * as z from 'zod';
import { formatIsoTime } from '@/lib/format/iso-time';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../api-error';
import { isSecretName } from '../codec/secret-name';

/** Parses a request body. Throws 400 with the expected and the actual value of the first invalid field. */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.');
  const got = issue === undefined ? '' : describeGot(issue, input);
  throw badRequest(`${where}: ${issue?.message ?? 'not understood'}${got}`, where);
}

const gotChars = 80;

/** Formats ', got "rust"'; empty if the message has the value, the field is missing, or it may be secret. */
function describeGot({ message, path }: z.core.$ZodIssue, input: unknown): string {
  if (/\b(got|received|Unrecognized)\b/.test(message)) return '';
  if (path.some((part) => isSecretName(String(part)))) return '';
  const value = path.reduce<unknown>(memberOf, input);
  if (value === undefined) return '';
  if (Array.isArray(value)) return `, got ${value.length} items`;
  if (typeof value === 'string' && value.length > gotChars)
    return `, got ${value.length} characters: ${JSON.stringify(formatMiddleCut(value, gotChars))}`;
  return typeof value === 'object' && value !== null ? ', got an object' : `, got ${JSON.stringify(value)}`;
}

function memberOf(holder: unknown, key: PropertyKey): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return Reflect.get(holder, key);
}

/**
 * Parses the query of a URL. Throws 400 with the first invalid parameter, or if the range of time ends before it begins.
 * A strict schema rejects unknown parameters,
 * because the answer without an unknown filter would look complete.
 */
export function parseQuery<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  if (schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever) {
    const names = Object.keys(schema.shape);
    const unknown = Object.keys(Object(input)).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      const expected = names.length === 0 ? 'no parameters' : `one of ${names.join(', ')}`;
      throw badRequest(`${unknown}: expected ${expected}`, unknown);
    }
  }
  const query = parseInput(schema, input);
  const { from, to } = Object(query);
  if (typeof from === 'number' && typeof to === 'number')
    assertRange(from, to, 'a time that is not after to');
  return query;
}

/** Checks the range of time of any question: its begin, and its end or the default of the end. Throws 400. */
export function assertRange(
  from: EpochMs,
  to: EpochMs,
  expected: 'a time before to' | 'a time that is not after to',
): void {
  if (from < to || (from === to && expected === 'a time that is not after to')) return;
  throw badRequest(`from: expected ${expected} (${formatIsoTime(to)}), got ${formatIsoTime(from)}`, 'from');
}
