import { isUtf8 } from 'node:buffer';
import { findMessageType, typesVersion } from './root';
import { classifyName } from './secret-name';
import { canHoldSecrets } from './sensitive-types';
import { TextMemo } from './text-memo';
import { fieldKind, findWirePlan, mostFieldNumber, type WirePlan, wirePlanOf } from './wire-plan';

/** Decoders accept 100 levels; deeper messages than this are left to redactWire(). */
const maxDepth = 48;
/** From this length on, the native check is faster. */
const longText = 96;

/**
 * Reads a resource once on the wire, without allocating. If it returns true, a strict decoder accepts the bytes, and
 * redactWire() finds no secret by the names of fields (see trigger-scan.ts for secrets by value). If it returns false,
 * anything unusual (a group, a possible secret, a mismatched wire type, an unknown type) is left to the decoder and
 * redactWire(). 98 % of the resources of real projects are plain.
 */
export function isPlainResource(typeUrl: string, bytes: Uint8Array): boolean {
  const plan = findWirePlan(typeUrl);
  return plan !== undefined && isPlainMessage(plan, bytes, 0, bytes.length, 0);
}

function isPlainMessage(
  { kinds, inner }: WirePlan,
  bytes: Uint8Array,
  start: number,
  end: number,
  depth: number,
): boolean {
  if (depth > maxDepth) return false;
  let position = start;
  while (position < end) {
    let tag = bytes[position++] ?? 0;
    if (tag >= 0x80) {
      const high = bytes[position++] ?? 0;
      if (position > end || high >= 0x80) return false;
      tag = (tag & 0x7f) | (high << 7);
    }
    const number = tag >>> 3;
    if (number === 0 || number > mostFieldNumber) return false;
    const kind = number < kinds.length ? (kinds[number] ?? 0) : fieldKind.unknown;
    switch (tag & 7) {
      case 0: {
        if (kind !== fieldKind.varint && kind !== fieldKind.unknown && kind !== fieldKind.packedVarint) {
          return false;
        }
        position = skipVarint(bytes, position);
        if (position > end) return false;
        break;
      }
      case 1:
        if (kind !== fieldKind.fixed64 && kind !== fieldKind.unknown && kind !== fieldKind.packedFixed64) {
          return false;
        }
        position += 8;
        if (position > end) return false;
        break;
      case 2: {
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
        if (kind === fieldKind.text) {
          if (!isText(bytes, from, position)) return false;
        } else if (kind === fieldKind.message) {
          const plan = inner[number];
          if (plan === undefined || !isPlainMessage(plan, bytes, from, position, depth + 1)) return false;
        } else if (kind !== fieldKind.unknown && kind !== fieldKind.bytes) {
          if (!isPlainValue(kind, bytes, from, position, depth)) return false;
        }
        break;
      }
      case 5:
        if (kind !== fieldKind.fixed32 && kind !== fieldKind.unknown && kind !== fieldKind.packedFixed32) {
          return false;
        }
        position += 4;
        if (position > end) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

/** Checks a less usual length-delimited value. */
function isPlainValue(kind: number, bytes: Uint8Array, start: number, end: number, depth: number): boolean {
  switch (kind) {
    case fieldKind.nameText:
      return isText(bytes, start, end) && !memos().secretNames.get(bytes, start, end);
    case fieldKind.any:
      return isPlainAny(bytes, start, end, depth + 1);
    case fieldKind.packedVarint: {
      let position = start;
      while (position < end) position = skipVarint(bytes, position);
      return position === end;
    }
    case fieldKind.packedFixed32:
      return (end - start) % 4 === 0;
    case fieldKind.packedFixed64:
      return (end - start) % 8 === 0;
    default:
      return false;
  }
}

/** Checks an Any with type_url (1) and value (2), each at most once. Unlike a decoder, the redactor reads the value. */
function isPlainAny(bytes: Uint8Array, start: number, end: number, depth: number): boolean {
  let position = start;
  let urlStart = -1;
  let urlEnd = -1;
  let valueStart = -1;
  let valueEnd = -1;
  while (position < end) {
    const tag = bytes[position++] ?? 0;
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
    if (tag === 10 && urlStart < 0) {
      urlStart = from;
      urlEnd = position;
    } else if (tag === 18 && valueStart < 0) {
      valueStart = from;
      valueEnd = position;
    } else {
      return false;
    }
  }
  if (urlStart < 0) return true;
  if (!isText(bytes, urlStart, urlEnd)) return false;
  const plan = memos().plans.get(bytes, urlStart, urlEnd);
  if (plan === 'no-secrets' || valueStart < 0) return true;
  return plan !== undefined && isPlainMessage(plan, bytes, valueStart, valueEnd, depth);
}

interface Memos {
  readonly version: number;
  readonly secretNames: TextMemo<boolean>;
  /** The key is the type URL; undefined if the type has no plan. */
  readonly plans: TextMemo<WirePlan | 'no-secrets' | undefined>;
}

let latest: Memos | undefined;

function memos(): Memos {
  const version = typesVersion();
  if (latest?.version !== version) {
    const plans = new TextMemo((typeUrl) => {
      const type = findMessageType(typeUrl);
      return type === undefined || !canHoldSecrets(type) ? 'no-secrets' : wirePlanOf(type);
    });
    latest = { version, secretNames: new TextMemo((name) => classifyName(name) !== undefined), plans };
  }
  return latest;
}

/** Returns infinity for a varint of more than ten bytes. */
function skipVarint(bytes: Uint8Array, start: number): number {
  const end = start + 10;
  for (let position = start; position < end; ) {
    if ((bytes[position++] ?? 0) < 0x80) return position;
  }
  return Number.POSITIVE_INFINITY;
}

function isText(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > longText) return isUtf8(bytes.subarray(start, end));
  for (let position = start; position < end; position++) {
    if ((bytes[position] ?? 0) >= 0x80) return isUtf8(bytes.subarray(position, end));
  }
  return true;
}
