import { findMapPlan, findMapPlanAt, type MapPlan, mapField } from './map-plan';
import { spanOf, WireCursor, type WireSpan } from './wire-cursor';
import { WireRewrite } from './wire-rewrite';

/** The nesting limit of protobuf. */
const maxDepth = 100;

/**
 * Returns the message with the entries of each map, Structs included, in the order of their keys. Writers do not agree on
 * an order, and Envoy 1.40 changes it with each dump, so that only this form can be compared by its bytes. Entries with
 * equal keys keep their order, because the last one counts. Returns the same array if the order is right. Malformed parts
 * and messages of unknown types stay as they are.
 */
export function canonicalWire(typeUrl: string, bytes: Uint8Array): Uint8Array {
  const plan = findMapPlan(typeUrl);
  if (plan === undefined) return bytes;
  const ordered = orderMessage(plan, spanOf(bytes), 0);
  return ordered === undefined || Buffer.compare(ordered, bytes) === 0 ? bytes : ordered;
}

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly isChanged: boolean;
}

function isInPlace({ key, isChanged }: Entry, index: number, entries: readonly Entry[]): boolean {
  const before = entries[index - 1];
  return !isChanged && (before === undefined || Buffer.compare(before.key, key) <= 0);
}

/** Returns undefined if nothing changes. */
function orderMessage(plan: MapPlan, span: WireSpan, depth: number): Uint8Array | undefined {
  if (depth > maxDepth) return undefined;
  const { kinds, inner, hasAnys } = plan;
  let maps: Map<number, Entry[]> | undefined;
  /** What replaces the values of other fields, by the place of each. */
  let changes: Map<number, Uint8Array> | undefined;
  const cursor = WireCursor.within(span);
  while (cursor.next()) {
    const { number, wireType, fieldStart } = cursor;
    const kind = wireType === 2 ? kinds[number] : mapField.none;
    if (kind === mapField.map) {
      // The rest of a truncated message is missing.
      if (cursor.missingBytes > 0) return undefined;
      maps ??= new Map();
      const entries = maps.get(number) ?? [];
      if (entries.length === 0) maps.set(number, entries);
      entries.push(entryOf(cursor, inner[number], hasAnys[number] === 1, depth + 1));
      continue;
    }
    const value = inner[number];
    let changed: Uint8Array | undefined;
    if (kind === mapField.any) changed = orderAny(cursor, depth + 1);
    else if (kind === mapField.message && value !== undefined)
      changed = orderMessage(value, cursor, depth + 1);
    if (changed !== undefined) changes = (changes ?? new Map()).set(fieldStart, changed);
  }
  for (const [number, entries] of maps ?? []) {
    if (entries.every(isInPlace)) maps?.delete(number);
    // The sort is stable.
    else entries.sort((a, b) => Buffer.compare(a.key, b.key));
  }
  if (changes === undefined && (maps === undefined || maps.size === 0)) return undefined;
  const rewrite = new WireRewrite(span);
  const again = WireCursor.within(span);
  while (again.next()) {
    const entry = again.wireType === 2 ? maps?.get(again.number)?.shift() : undefined;
    const replacement = entry?.value ?? changes?.get(again.fieldStart);
    if (replacement !== undefined) rewrite.replaceValue(again, replacement);
  }
  return rewrite.finish();
}

function entryOf(span: WireCursor, plan: MapPlan | undefined, isAny: boolean, depth: number): Entry {
  const cursor = WireCursor.within(span);
  const rewrite = new WireRewrite(span);
  let key: Uint8Array = new Uint8Array();
  while (cursor.next()) {
    if (cursor.number === 1) key = cursor.bytes.subarray(cursor.valueStart, cursor.fieldEnd);
    if (cursor.number !== 2 || cursor.wireType !== 2) continue;
    const changed =
      plan !== undefined ? orderMessage(plan, cursor, depth) : isAny ? orderAny(cursor, depth) : undefined;
    if (changed !== undefined) rewrite.replaceValue(cursor, changed);
  }
  const ordered = rewrite.finish();
  const value = ordered ?? span.bytes.subarray(span.valueStart, span.fieldEnd);
  return { key, value, isChanged: ordered !== undefined };
}

function orderAny(span: WireSpan, depth: number): Uint8Array | undefined {
  const cursor = WireCursor.within(span);
  const rewrite = new WireRewrite(span);
  let plan: MapPlan | undefined;
  while (cursor.next()) {
    if (cursor.wireType !== 2) continue;
    if (cursor.number === 1) plan = findMapPlanAt(cursor.bytes, cursor.valueStart, cursor.fieldEnd);
    if (cursor.number !== 2 || plan === undefined) continue;
    const changed = orderMessage(plan, cursor, depth);
    if (changed !== undefined) rewrite.replaceValue(cursor, changed);
  }
  return rewrite.finish();
}
