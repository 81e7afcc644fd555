import protobuf from 'protobufjs';
import { findMessageType } from './root';
import { typeOfField } from './sensitive-types';
import { spanOf, WireCursor, type WireSpan } from './wire-cursor';
import { WireRewrite } from './wire-rewrite';
import { textAt } from './wire-text';

/** The nesting limit of protobuf. */
const maxDepth = 100;

/**
 * Returns the message with the entries of each map, Structs included, in the order of their keys. Writers do not agree on
 * an order, and Envoy 1.40 changes it with each dump, so that only this form can be compared by its bytes. Entries with
 * equal keys keep their order, because the last one counts. Returns the same array if the order is right. Malformed parts
 * and messages of unknown types stay as they are.
 */
export function canonicalWire(typeUrl: string, bytes: Uint8Array): Uint8Array {
  const type = findMessageType(typeUrl);
  const ordered = type && orderMessage(type, spanOf(bytes), 0);
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

/** fullName joins the names of all that contain the type, at each call. */
const isAny = (type: protobuf.Type): boolean =>
  type.name === 'Any' && type.fullName === '.google.protobuf.Any';
const holding = new WeakMap<protobuf.Type, boolean>();

/** Types can be recursive: `above` are those whose fields are being read. */
function holdsMaps(type: protobuf.Type, above = new Set<protobuf.Type>()): boolean {
  const known = holding.get(type);
  if (known !== undefined) return known;
  if (isAny(type)) return true;
  if (above.has(type)) return false;
  above.add(type);
  const holds = type.fieldsArray.some((field) => {
    if (field instanceof protobuf.MapField) return true;
    const inner = typeOfField(field);
    return inner !== undefined && holdsMaps(inner, above);
  });
  // Below a type that is still being read, false may be only a part of the answer.
  if (holds || above.size === 1) holding.set(type, holds);
  above.delete(type);
  return holds;
}

/** Returns undefined if nothing changes. */
function orderMessage(type: protobuf.Type, span: WireSpan, depth: number): Uint8Array | undefined {
  if (depth > maxDepth || !holdsMaps(type)) return undefined;
  if (isAny(type)) return orderAny(span, depth);
  let maps: Map<number, Entry[]> | undefined;
  /** What replaces the values of other fields, by the place of each. */
  let changes: Map<number, Uint8Array> | undefined;
  const cursor = WireCursor.within(span);
  while (cursor.next()) {
    const { number, wireType, fieldStart } = cursor;
    const field = wireType === 2 ? type.fieldsById[number] : undefined;
    if (field === undefined) continue;
    const inner = typeOfField(field);
    if (field instanceof protobuf.MapField) {
      // The rest of a truncated message is missing.
      if (cursor.missingBytes > 0) return undefined;
      maps ??= new Map();
      const entries = maps.get(number) ?? [];
      if (entries.length === 0) maps.set(number, entries);
      entries.push(entryOf(cursor, inner, depth + 1));
      continue;
    }
    const changed = inner && orderMessage(inner, cursor, depth + 1);
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

function entryOf(span: WireCursor, type: protobuf.Type | undefined, depth: number): Entry {
  const cursor = WireCursor.within(span);
  const rewrite = new WireRewrite(span);
  let key: Uint8Array = new Uint8Array();
  while (cursor.next()) {
    if (cursor.number === 1) key = cursor.bytes.subarray(cursor.valueStart, cursor.fieldEnd);
    if (cursor.number !== 2 || cursor.wireType !== 2) continue;
    const changed = type && orderMessage(type, cursor, depth);
    if (changed !== undefined) rewrite.replaceValue(cursor, changed);
  }
  const ordered = rewrite.finish();
  const value = ordered ?? span.bytes.subarray(span.valueStart, span.fieldEnd);
  return { key, value, isChanged: ordered !== undefined };
}

function orderAny(span: WireSpan, depth: number): Uint8Array | undefined {
  const cursor = WireCursor.within(span);
  const rewrite = new WireRewrite(span);
  let type: protobuf.Type | undefined;
  while (cursor.next()) {
    if (cursor.wireType !== 2) continue;
    if (cursor.number === 1) type = findMessageType(textAt(cursor.bytes, cursor.valueStart, cursor.fieldEnd));
    if (cursor.number !== 2 || type === undefined) continue;
    const changed = orderMessage(type, cursor, depth);
    if (changed !== undefined) rewrite.replaceValue(cursor, changed);
  }
  return rewrite.finish();
}
