import { createHash } from 'node:crypto';

/** Node accepts 16 KiB for a request line with its headers, so a longer name could not be part of a request. */
const mostChars = 16_384;
const keptChars = 1_000;

/**
 * Returns the answer with each text of more than 16,384 characters cut to its beginning, its length and its digest.
 * Equal texts remain equal and different ones different, so references within an answer and between answers remain
 * valid. An answer without such a text is returned unchanged.
 */
export function truncateLongTexts<T>(answer: T): T {
  return cut(answer) as T;
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= mostChars ? value : shorten(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return cutItems(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? cutFields(value) : value;
}

function cutItems(items: readonly unknown[]): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = cut(items[at]);
    if (item === items[at]) continue;
    changed ??= [...items];
    changed[at] = item;
  }
  return changed ?? items;
}

function cutFields(fields: object): object {
  const keys = Object.keys(fields);
  let shown: [string, unknown][] | undefined;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    const value: unknown = Reflect.get(fields, key);
    const [shownKey, shownValue] = [key.length <= mostChars ? key : shorten(key), cut(value)];
    if (shown === undefined && shownKey === key && shownValue === value) continue;
    shown ??= keys.slice(0, at).map((before) => [before, Reflect.get(fields, before)]);
    shown.push([shownKey, shownValue]);
  }
  return shown === undefined ? fields : Object.fromEntries(shown);
}

function shorten(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const length = text.length.toLocaleString('en-US');
  return `${text.slice(0, keptChars)}… [cut: ${length} characters, SHA-256 ${digest}]`;
}
