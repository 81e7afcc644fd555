import { formatEndCut } from '../format/end-cut';
import { formatLocality } from '../format/locality';
import { messageNameOf } from '../xds/resource-type';
import { type FactFinder, type FieldFacts, meansAbsent, presentName } from './field-facts';
import { isJsonObject, type JsonObject } from './json-object';
import { type ListRule, unlistedRule } from './list-rule';
import { type ItemList, matchItems } from './match-items';
import type {
  DiffTotals,
  FieldDiff,
  FieldsDiff,
  ItemDiff,
  LeafDiff,
  ListDiff,
  ValueDiff,
} from './value-diff';

const nothing: DiffTotals = { changes: 0, reordered: 0, notation: 0 };
const oneChange: DiffTotals = { ...nothing, changes: 1 };
const oneNotation: DiffTotals = { ...nothing, notation: 1 };

/**
 * Compares two values of one message type, in proto3 JSON of decodeBody() with `asV3`, which gives v2 types their v3 names.
 * Returns null if the values are identical. They have the same meaning if the totals have no changes.
 */
export function diffValues(
  finder: FactFinder,
  before: unknown,
  after: unknown,
  message: string | undefined,
): ValueDiff | null {
  if (isJsonObject(before) && isJsonObject(after)) {
    const facts = finder.of(before, message);
    if (facts === finder.of(after, message)) {
      const fieldOf = facts === undefined ? () => undefined : facts.field;
      return diffFields(finder, before, after, fieldOf);
    }
    return leaf({ before, after }, false, 'another type');
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return diffLists(finder, { left: before, right: after, message: undefined, rule: unlistedRule });
  }
  if (Object.is(before, after)) return null;
  // A negative zero means the same as zero.
  return leaf({ before, after }, before === after, '');
}

type Sides = Pick<LeafDiff, 'before' | 'after' | 'absent'>;

function leaf(sides: Sides, isNotation: boolean, reason: string): LeafDiff {
  const totals = isNotation ? oneNotation : oneChange;
  return { kind: 'leaf', ...sides, isNotation, reason, totals };
}

function diffFields(
  finder: FactFinder,
  before: JsonObject,
  after: JsonObject,
  fieldOf: (name: string) => FieldFacts | undefined,
): FieldsDiff | null {
  const fields: { name: string; diff: ValueDiff }[] = [];
  let equal = 0;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const diff = diffField(finder, name, heldOf(before, name), heldOf(after, name), fieldOf(name));
    if (diff === null) equal += 1;
    else fields.push({ name, diff });
  }
  if (fields.length === 0) return null;
  return { kind: 'fields', fields, equal, totals: sum(fields.map(({ diff }) => diff.totals)) };
}

const removalReason = 'a former name of the same extension';

/** Compares entries by their keys, and those of extensions also by former names. */
function diffMaps(
  finder: FactFinder,
  before: JsonObject,
  after: JsonObject,
  field: FieldFacts,
): FieldsDiff | null {
  const entry: FieldFacts = {
    ...{ ...field, shape: 'single', absent: undefined, documented: undefined, former: undefined },
  };
  const renamed = findRenamed(before, after, field);
  const rest = without(before, renamed.keys());
  const diff = diffFields(finder, rest, without(after, renamed.values()), () => entry);
  if (renamed.size === 0) return diff;
  const fields: FieldDiff[] = [...renamed].map(([formerly, name]) => {
    const [left, right] = [before[formerly], after[name]];
    const inner = diffField(finder, name, left, right, entry);
    return { name, formerly, diff: inner ?? leaf({ before: left, after: right }, true, removalReason) };
  });
  const all = [...(diff?.fields ?? []), ...fields];
  const equal = diff?.equal ?? Object.keys(rest).length;
  return { kind: 'fields', fields: all, equal, totals: sum(all.map((each) => each.diff.totals)) };
}

/** Maps renamed keys on the left to keys on the right. Keys that both sides have are not renamed. */
function findRenamed(before: JsonObject, after: JsonObject, field: FieldFacts): Map<string, string> {
  const renamed = new Map<string, string>();
  if (field.former === undefined) return renamed;
  const news = new Map<unknown, string>();
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name)) news.set(presentName(field, name), name);
  }
  for (const name of Object.keys(before)) {
    const other = Object.hasOwn(after, name) ? undefined : news.get(presentName(field, name));
    if (other !== undefined) renamed.set(name, other);
  }
  return renamed;
}

function without(map: JsonObject, names: Iterable<string>): JsonObject {
  const left = new Set(names);
  if (left.size === 0) return map;
  return Object.fromEntries(Object.entries(map).filter(([name]) => !left.has(name)));
}

function heldOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function diffField(
  finder: FactFinder,
  name: string,
  before: unknown,
  after: unknown,
  field: FieldFacts | undefined,
): ValueDiff | null {
  if (before === undefined || after === undefined) return diffAbsent(before, after, field);
  if (field?.shape === 'list' && Array.isArray(before) && Array.isArray(after)) {
    const { message, rule } = field;
    return diffLists(finder, { left: before, right: after, message, rule });
  }
  if (field?.shape === 'map' && isJsonObject(before) && isJsonObject(after)) {
    return diffMaps(finder, before, after, field);
  }
  if (name === '@type' && isSameType(before, after)) {
    return before === after ? null : leaf({ before, after }, true, 'the same type');
  }
  if (before !== after && presentName(field, before) === presentName(field, after)) {
    return leaf({ before, after }, true, removalReason);
  }
  return diffValues(finder, before, after, field?.message);
}

function isSameType(before: unknown, after: unknown): boolean {
  return (
    typeof before === 'string' && typeof after === 'string' && messageNameOf(before) === messageNameOf(after)
  );
}

function diffAbsent(before: unknown, after: unknown, field: FieldFacts | undefined): LeafDiff | null {
  const there = before ?? after;
  if (before === after) return null;
  const sides: Sides = {
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(field?.absent !== undefined && { absent: field.absent }),
  };
  const isNotation = field !== undefined && meansAbsent(field, there);
  return leaf(sides, isNotation, isNotation ? reasonOf(field) : '');
}

function reasonOf({ documented, shape }: FieldFacts): string {
  if (documented !== undefined) return documented.reason;
  return shape === 'single' ? 'the default, written out' : 'empty, the same as absent';
}

function diffLists(finder: FactFinder, list: ItemList): ListDiff | null {
  const { left, right, message, rule } = list;
  const { order, moved, isReordered } = matchItems(finder, list);
  const items: ItemDiff[] = [];
  const taken = new Set<number>();
  let equal = 0;
  for (const [place, from] of order.entries()) {
    const label = () => formatItemLabel(right[place], rule, place);
    if (from === -1) {
      const diff = leaf({ after: right[place] }, false, '');
      items.push({ left: null, right: place, label: label(), isMoved: false, diff });
      continue;
    }
    taken.add(from);
    const diff = diffValues(finder, left[from], right[place], message);
    const isMoved = moved.has(place);
    if (diff === null && !isMoved) equal += 1;
    else items.push({ left: from, right: place, label: label(), isMoved, diff });
  }
  for (const [place, item] of left.entries()) {
    if (taken.has(place)) continue;
    const diff = leaf({ before: item }, false, '');
    items.push({ left: place, right: null, label: formatItemLabel(item, rule, place), isMoved: false, diff });
  }
  const isInPlace = left.length === right.length && order.every((from, place) => from === place);
  if (items.length === 0 && isInPlace) return null;
  const inner = sum(items.map(({ diff }) => diff?.totals ?? nothing));
  const totals: DiffTotals = {
    ...inner,
    changes: inner.changes + moved.size,
    reordered: inner.reordered + (isReordered ? 1 : 0),
  };
  const [leftLength, rightLength] = [left.length, right.length];
  return {
    kind: 'list',
    items,
    equal,
    leftLength,
    rightLength,
    order: isInPlace ? null : order,
    isReordered,
    rule,
    totals,
  };
}

function sum(each: readonly DiffTotals[]): DiffTotals {
  const add = (a: DiffTotals, b: DiffTotals): DiffTotals => ({
    changes: a.changes + b.changes,
    reordered: a.reordered + b.reordered,
    notation: a.notation + b.notation,
  });
  return each.reduce(add, nothing);
}

const mostChars = 80;

function formatItemLabel(item: unknown, { keys, like = [] }: ListRule, index: number): string {
  if (!isJsonObject(item))
    return Array.isArray(item) || item === null ? `#${index}` : formatEndCut(String(item), mostChars);
  for (const key of [...keys, ...like]) {
    const parts = key.flatMap((path) => formatPart(valueAt(item, path), path));
    if (parts.length > 0) return formatEndCut(parts.join(' '), mostChars);
  }
  return `#${index}`;
}

function valueAt(item: unknown, path: string): unknown {
  let value = item;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function formatPart(value: unknown, path: string): string[] {
  if (value === undefined || value === '') return [];
  const last = path.slice(path.lastIndexOf('.') + 1);
  if (typeof value === 'number' || typeof value === 'boolean') return [`${last} ${value}`];
  if (!isJsonObject(value)) return [String(value).replace(/^type\.googleapis\.com\//, '')];
  if (last === 'locality') return [formatLocality(readLocality(value))];
  return [formatAddress(value) ?? formatInside(value)];
}

function readLocality(value: Readonly<Record<string, unknown>>) {
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name] : '');
  return { region: text('region'), zone: text('zone'), subZone: text('subZone') };
}

function formatAddress(value: Readonly<Record<string, unknown>>): string | undefined {
  const { socketAddress, pipe } = value;
  if (isJsonObject(pipe)) return String(pipe.path ?? '');
  if (!isJsonObject(socketAddress)) return undefined;
  const { address, portValue, namedPort } = socketAddress;
  const host = String(address ?? '');
  return `${host.includes(':') ? `[${host}]` : host}:${portValue ?? namedPort ?? 0}`;
}

/** Formats scalars with their names, as in `prefix /cart`. */
function formatInside(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatInside).join(', ');
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${formatInside(inner)}`)
    .join(', ');
}
