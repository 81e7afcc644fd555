import type protobuf from 'protobufjs';
import { by, byDescending, inTurn } from '@/lib/collections/compare';
import type { FieldSize } from '@/lib/views/sizes/schema';
import { planOf } from './json/type-plan';
import { findMessageType } from './root';
import { WireCursor } from './wire-cursor';

/** The sums over all values of a field. */
interface Draft {
  readonly name: string;
  bytes: number;
  count: number;
  readonly parts: Map<string, Draft>;
}

const deepest = 40;
/** Number of listed parts per field; smaller ones are combined. */
const partsKept = 60;
const anyType = '.google.protobuf.Any';

/**
 * Measures the fields of a body on the wire, including tags and lengths. The values of a repeated field are added. The
 * fields of an Any are those of its message; undecodable bytes count as a whole.
 */
export function measureFields(typeUrl: string, bytes: Uint8Array): FieldSize[] {
  const root = draft('');
  measure(root, findMessageType(typeUrl), bytes, { from: 0, to: bytes.length, depth: 0 });
  return partsOf(root);
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

function measure(whole: Draft, type: protobuf.Type | undefined, bytes: Uint8Array, span: Span): void {
  if (type?.fullName === anyType) {
    measureAny(whole, type, bytes, span);
    return;
  }
  const { from, to, depth } = span;
  const fields = type === undefined ? undefined : planOf(type).byNumber;
  const cursor = new WireCursor(bytes, from, to);
  while (cursor.next()) {
    const field = fields?.get(cursor.number);
    const part = partOf(whole, field?.jsonName ?? `field ${cursor.number}`);
    part.bytes += cursor.fieldEnd - cursor.fieldStart;
    part.count += 1;
    const inner = { from: cursor.valueStart, to: cursor.fieldEnd, depth: depth + 1 };
    if (cursor.wireType !== 2 || field?.type === undefined || depth >= deepest) continue;
    if (field.shape === 'map') measureEntry(part, field.type, bytes, inner);
    else measure(part, field.type, bytes, inner);
  }
  if (cursor.malformed) count(whole, 'not readable', to - cursor.fieldStart);
}

function measureEntry(whole: Draft, type: protobuf.Type, bytes: Uint8Array, { from, to, depth }: Span): void {
  const cursor = new WireCursor(bytes, from, to);
  while (cursor.next()) {
    if (cursor.number !== 2 || cursor.wireType !== 2) continue;
    measure(whole, type, bytes, { from: cursor.valueStart, to: cursor.fieldEnd, depth: depth + 1 });
  }
}

function measureAny(whole: Draft, type: protobuf.Type, bytes: Uint8Array, { from, to, depth }: Span): void {
  let inner: protobuf.Type | undefined;
  // Fields may be in any order, so the type is read first.
  for (const cursor = new WireCursor(bytes, from, to); cursor.next(); ) {
    if (cursor.number !== 1 || cursor.wireType !== 2) continue;
    const url = Buffer.from(bytes.subarray(cursor.valueStart, cursor.fieldEnd)).toString();
    inner = findMessageType(url);
  }
  for (const cursor = new WireCursor(bytes, from, to); cursor.next(); ) {
    const size = cursor.fieldEnd - cursor.fieldStart;
    if (cursor.number === 2 && cursor.wireType === 2 && inner !== undefined && depth < deepest) {
      measure(whole, inner, bytes, { from: cursor.valueStart, to: cursor.fieldEnd, depth: depth + 1 });
    } else
      count(
        whole,
        cursor.number === 1 ? '@type' : (planOf(type).byNumber.get(cursor.number)?.jsonName ?? 'field'),
        size,
      );
  }
}

function draft(name: string): Draft {
  return { name, bytes: 0, count: 0, parts: new Map() };
}

function partOf(whole: Draft, name: string): Draft {
  const part = whole.parts.get(name) ?? draft(name);
  whole.parts.set(name, part);
  return part;
}

function count(whole: Draft, name: string, bytes: number): void {
  const part = partOf(whole, name);
  part.bytes += bytes;
  part.count += 1;
}

/** The largest part is first. */
function partsOf({ parts }: Draft): FieldSize[] {
  const sorted = [...parts.values()].sort(
    inTurn(
      byDescending(({ bytes }) => bytes),
      by(({ name }) => name),
    ),
  );
  const [kept, rest] = [sorted.slice(0, partsKept), sorted.slice(partsKept)];
  const reported = kept.map((part) => ({
    name: part.name,
    bytes: part.bytes,
    count: part.count,
    parts: partsOf(part),
  }));
  if (rest.length === 0) return reported;
  const bytes = rest.reduce((sum, part) => sum + part.bytes, 0);
  return [...reported, { name: `${rest.length} smaller ones`, bytes, count: rest.length, parts: [] }];
}
