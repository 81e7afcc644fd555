import type { EpochMs } from '@/lib/xds/units';
import { WireCursor } from '../../../codec/wire-cursor';
import type { Direction } from '../copy-events';
import { framePrefixBytes } from './frame-cursor';

/** Bytes of one direction of a stream. */
export interface Copy {
  readonly direction: Direction;
  readonly bytes: Uint8Array;
  /** The number of messages that begin in the bytes. */
  readonly messages: number;
  readonly clockMs: number;
  readonly at: EpochMs;
  /** Set if the bytes are one message: how many it stands for, which differ in their nonces alone. Absent: itself. */
  readonly repeats?: number;
}

/** A complete message, with its prefix. */
type Read = Copy & NonceOf;

/** A response and its NACK. MUTABLE. */
interface Pair {
  down: Read;
  up: Read | undefined;
  /** A response equal to `down`, which is not answered. */
  pending: Read | undefined;
  /** The number of pairs that `down` and `up` stand for, and that were not passed on. */
  merged: number;
}

/** Limits the types of one stream. */
const maxTypes = 32;

/**
 * Merges equal pairs of a response and its NACK, which a management server causes that answers each NACK with the same
 * resources. The messages of each type that take() returns keep their order.
 */
export class RepeatedPairs {
  readonly #pairs = new Map<string, Pair>();

  get heldBytes(): number {
    let bytes = 0;
    for (const { down, up, pending } of this.#pairs.values())
      for (const each of [down, up, pending]) bytes += each?.bytes.length ?? 0;
    return bytes;
  }

  /** Returns the messages to pass on, in order. */
  take(message: Copy): readonly Copy[] {
    const nonce = readNonce(message.bytes, message.direction === 'up');
    if (nonce === undefined) return [...this.release(), message];
    const read = { ...message, ...nonce };
    return message.direction === 'down' ? this.#response(read) : this.#request(read);
  }

  /** Returns all that is held, and forgets the pairs. */
  release(): readonly Copy[] {
    const held = this.flush();
    this.#pairs.clear();
    return held;
  }

  /** Returns all that is held. Later pairs are still compared. */
  flush(): readonly Copy[] {
    return [...this.#pairs.values()].flatMap(flushPair);
  }

  #response(read: Read): readonly Copy[] {
    const pair = this.#pairs.get(read.typeUrl);
    if (pair?.up !== undefined && pair.pending === undefined && isEqual(pair.down, read)) {
      pair.pending = read;
      return [];
    }
    const held = pair === undefined ? [] : flushPair(pair);
    if (pair !== undefined || this.#pairs.size < maxTypes)
      this.#pairs.set(read.typeUrl, { down: read, up: undefined, pending: undefined, merged: 0 });
    return [...held, read];
  }

  #request(read: Read): readonly Copy[] {
    const pair = this.#pairs.get(read.typeUrl);
    if (pair === undefined) return [read];
    const { up, pending } = pair;
    if (pending !== undefined && up !== undefined && pending.nonce === read.nonce && isEqual(up, read)) {
      Object.assign(pair, { down: pending, up: read, pending: undefined, merged: pair.merged + 1 });
      return [];
    }
    const held = flushPair(pair);
    if (pair.up === undefined && read.isNack && pair.down.nonce === read.nonce) pair.up = read;
    else this.#pairs.delete(read.typeUrl);
    return [...held, read];
  }
}

/** MUTATES `pair`. */
function flushPair(pair: Pair): readonly Copy[] {
  const { down, up, pending, merged } = pair;
  const both =
    merged === 0 || up === undefined ? [] : [down, up].map((each) => ({ ...each, repeats: merged }));
  pair.merged = 0;
  if (pending === undefined) return both;
  Object.assign(pair, { down: pending, up: undefined, pending: undefined });
  return [...both, pending];
}

/** True if the messages differ in their nonces alone. */
function isEqual(one: Read, other: Read): boolean {
  const before = (read: Read) => read.bytes.subarray(framePrefixBytes, read.nonceStart);
  const after = (read: Read) => read.bytes.subarray(read.nonceEnd);
  return Buffer.compare(before(one), before(other)) === 0 && Buffer.compare(after(one), after(other)) === 0;
}

/** The nonce of a DiscoveryResponse or DiscoveryRequest. */
interface NonceOf {
  readonly typeUrl: string;
  readonly nonce: string;
  /** The place of the field of the nonce in the bytes. The end is exclusive. */
  readonly nonceStart: number;
  readonly nonceEnd: number;
  /** The request has an error_detail. */
  readonly isNack: boolean;
}

/** The numbers are the same in requests and responses, but for error_detail. */
const fields = { typeUrl: 4, nonce: 5, errorDetail: 6 } as const;

/** Reads a gRPC message with its prefix. Returns undefined if it is compressed, or has not one nonce. */
function readNonce(frame: Uint8Array, isRequest: boolean): NonceOf | undefined {
  if (frame[0] !== 0) return undefined;
  const cursor = new WireCursor(frame, framePrefixBytes);
  let found: { readonly nonce: string; readonly nonceStart: number; readonly nonceEnd: number } | undefined;
  let typeUrl = '';
  let isNack = false;
  while (cursor.next()) {
    const { number, wireType, valueStart, fieldStart, fieldEnd } = cursor;
    if (wireType !== 2) continue;
    const text = (): string =>
      Buffer.from(frame.buffer, frame.byteOffset + valueStart, fieldEnd - valueStart).toString();
    if (number === fields.typeUrl) typeUrl = text();
    if (number === fields.errorDetail && isRequest) isNack = true;
    if (number !== fields.nonce) continue;
    if (found !== undefined) return undefined;
    found = { nonce: text(), nonceStart: fieldStart, nonceEnd: fieldEnd };
  }
  return cursor.malformed || cursor.missingBytes > 0 || found === undefined
    ? undefined
    : { typeUrl, isNack, ...found };
}
