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
  if (plan === undefined || isOrdered(plan, bytes, 0, bytes.length, 0)) return bytes;
  const ordered = orderMessage(plan, spanOf(bytes), 0);
  return ordered === undefined || Buffer.compare(ordered, bytes) === 0 ? bytes : ordered;
}

/** Reads a message without allocating. May return false for a message that is in order, if it is unusual. */
function isOrdered(plan: MapPlan, bytes: Uint8Array, start: number, end: number, depth: number): boolean {
  if (depth > maxDepth) return false;
  const { kinds, inner, hasAnys } = plan;
  let position = start;
  let map = 0;
  let keyStart = 0;
  let keyEnd = 0;
  while (position < end) {
    let tag = bytes[position++] ?? 0;
    if (tag >= 0x80) {
      const high = bytes[position++] ?? 0;
      if (high >= 0x80) return false;
      tag = (tag & 0x7f) | (high << 7);
    }
    const wireType = tag & 7;
    if (wireType !== 2) {
      if (wireType === 0) while ((bytes[position++] ?? 0) >= 0x80);
      else if (wireType === 1) position += 8;
      else if (wireType === 5) position += 4;
      else return false;
      continue;
    }
    let length = bytes[position++] ?? 0;
    if (length >= 0x80) {
      length &= 0x7f;
      for (let shift = 7; ; shift += 7) {
        const byte = bytes[position++] ?? 0;
        length |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
        if (shift === 21) return false;
      }
    }
    const from = position;
    position += length;
    if (position > end) return false;
    const number = tag >>> 3;
    const kind = number < kinds.length ? kinds[number] : mapField.none;
    if (kind === mapField.none) continue;
    if (kind === mapField.any) {
      if (!isAnyOrdered(bytes, from, position, depth + 1)) return false;
      continue;
    }
    const value = inner[number];
    if (kind === mapField.message) {
      if (value !== undefined && !isOrdered(value, bytes, from, position, depth + 1)) return false;
      continue;
    }
    // A map's entry is a message {key = 1, value = 2}, in which the key is first and mostly short.
    const isUsual = from + 1 < position && ((bytes[from] ?? 0) === 10 || (bytes[from] ?? 0) === 8);
    const keyLength = (bytes[from] ?? 0) === 10 ? (bytes[from + 1] ?? 0) : 1;
    if (!isUsual || keyLength >= 0x80 || number < map) return false;
    const nextStart = (bytes[from] ?? 0) === 10 ? from + 2 : from + 1;
    const nextEnd = nextStart + keyLength;
    if ((bytes[from] ?? 0) === 8 && (bytes[nextStart] ?? 0) >= 0x80) return false;
    if (nextEnd > position) return false;
    if (number === map && compareBytes(bytes, keyStart, keyEnd, nextStart, nextEnd) > 0) return false;
    map = number;
    keyStart = nextStart;
    keyEnd = nextEnd;
    if (value === undefined && hasAnys[number] === 0) continue;
    if (!isEntryOrdered(value, bytes, nextEnd, position, depth + 1)) return false;
  }
  return position === end;
}

/** Reads the value of an entry, behind its key. */
function isEntryOrdered(
  plan: MapPlan | undefined,
  bytes: Uint8Array,
  start: number,
  end: number,
  depth: number,
): boolean {
  const cursor = new WireCursor(bytes, start, end);
  while (cursor.next()) {
    if (cursor.number !== 2 || cursor.wireType !== 2) return false;
    const { valueStart, fieldEnd } = cursor;
    const isInOrder =
      plan === undefined
        ? isAnyOrdered(bytes, valueStart, fieldEnd, depth)
        : isOrdered(plan, bytes, valueStart, fieldEnd, depth);
    if (!isInOrder) return false;
  }
  return !cursor.malformed;
}

function isAnyOrdered(bytes: Uint8Array, start: number, end: number, depth: number): boolean {
  const cursor = new WireCursor(bytes, start, end);
  let plan: MapPlan | undefined;
  while (cursor.next()) {
    if (cursor.wireType !== 2) return false;
    if (cursor.number === 1) plan = findMapPlanAt(bytes, cursor.valueStart, cursor.fieldEnd);
    else if (cursor.number !== 2) return false;
    else if (plan !== undefined && !isOrdered(plan, bytes, cursor.valueStart, cursor.fieldEnd, depth))
      return false;
  }
  return !cursor.malformed;
}

function compareBytes(bytes: Uint8Array, start: number, end: number, from: number, to: number): number {
  const [length, other] = [end - start, to - from];
  for (let index = 0; index < length && index < other; index++) {
    const difference = (bytes[start + index] ?? 0) - (bytes[from + index] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - other;
}

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Returns undefined if nothing changes. */
function orderMessage(plan: MapPlan, span: WireSpan, depth: number): Uint8Array | undefined {
  if (depth > maxDepth) return undefined;
  const { kinds, inner, hasAnys } = plan;
  const maps = new Map<number, Entry[]>();
  const cursor = WireCursor.within(span);
  while (cursor.next()) {
    const { number, wireType } = cursor;
    if (wireType !== 2 || kinds[number] !== mapField.map) continue;
    // The rest of a truncated message is missing.
    if (cursor.missingBytes > 0) return undefined;
    const entry = entryOf(cursor, inner[number], hasAnys[number] === 1, depth + 1);
    const entries = maps.get(number);
    if (entries === undefined) maps.set(number, [entry]);
    else entries.push(entry);
  }
  // The sort is stable.
  for (const entries of maps.values()) entries.sort((a, b) => Buffer.compare(a.key, b.key));
  const rewrite = new WireRewrite(span);
  const again = WireCursor.within(span);
  while (again.next()) {
    const { number, wireType } = again;
    if (wireType !== 2) continue;
    const kind = kinds[number];
    if (kind === mapField.map) {
      const entry = maps.get(number)?.shift();
      if (entry !== undefined) rewrite.replaceValue(again, entry.value);
      continue;
    }
    const value = inner[number];
    let changed: Uint8Array | undefined;
    if (kind === mapField.any) changed = orderAny(again, depth + 1);
    else if (kind === mapField.message && value !== undefined)
      changed = orderMessage(value, again, depth + 1);
    if (changed !== undefined) rewrite.replaceValue(again, changed);
  }
  return rewrite.finish();
}

function entryOf(span: WireCursor, plan: MapPlan | undefined, isAny: boolean, depth: number): Entry {
  const cursor = WireCursor.within(span);
  const rewrite = new WireRewrite(span);
  let key = new Uint8Array();
  while (cursor.next()) {
    if (cursor.number === 1) key = Uint8Array.from(cursor.bytes.subarray(cursor.valueStart, cursor.fieldEnd));
    if (cursor.number !== 2 || cursor.wireType !== 2) continue;
    const changed =
      plan !== undefined ? orderMessage(plan, cursor, depth) : isAny ? orderAny(cursor, depth) : undefined;
    if (changed !== undefined) rewrite.replaceValue(cursor, changed);
  }
  const value = rewrite.finish() ?? span.bytes.subarray(span.valueStart, span.fieldEnd);
  return { key, value };
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
