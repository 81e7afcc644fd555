import { isJsonObject } from '../../lib/diff/json-object';
import type { FieldsDiff, ListDiff, ValueDiff } from '../../lib/diff/value-diff';

/**
 * Builds the right side from the left one: applyDiff(diffValues(f, a, b, t), a) equals b. Returns undefined if there is no
 * value on the right. Throws an error if `value` is not the left side of the diff.
 */
export function applyDiff(diff: ValueDiff | null, value: unknown): unknown {
  if (diff === null) return value;
  if (diff.kind === 'leaf') return diff.after;
  return diff.kind === 'fields' ? applyFields(diff, value) : applyList(diff, value);
}

function applyFields({ fields }: FieldsDiff, value: unknown): unknown {
  if (!isJsonObject(value)) throw new Error(`expected an object, got ${JSON.stringify(value)}`);
  const diffs = new Map(fields.map(({ name, diff }) => [name, diff]));
  const keys = new Map(
    fields.flatMap(({ name, formerly }) => (formerly === undefined ? [] : [[formerly, name]])),
  );
  const names = new Set([...Object.keys(value).map((name) => keys.get(name) ?? name), ...diffs.keys()]);
  const formers = new Map([...keys].map(([formerly, name]) => [name, formerly]));
  const entries = [...names].flatMap((name): [string, unknown][] => {
    const key = formers.get(name) ?? name;
    const applied = applyDiff(diffs.get(name) ?? null, Object.hasOwn(value, key) ? value[key] : undefined);
    return applied === undefined ? [] : [[name, applied]];
  });
  return Object.fromEntries(entries);
}

function applyList({ items, order, leftLength }: ListDiff, value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== leftLength) {
    throw new Error(`expected a list of ${leftLength}, got ${JSON.stringify(value)}`);
  }
  const changed = new Map(items.map((item) => [item.right, item.diff]));
  const from = order ?? value.map((_, index) => index);
  return from.map((left, right) =>
    applyDiff(changed.get(right) ?? null, left === -1 ? undefined : value[left]),
  );
}
