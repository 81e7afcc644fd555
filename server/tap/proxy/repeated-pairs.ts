import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from '../copy-events';
import { framePrefixBytes } from './frame-cursor';
import { type NonceOf, readNonce } from './read-nonce';

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
  /** How many pairs `down` and `up` stand for that were not passed on. */
  merged: number;
}

/** Limits the types of one stream. */
const maxTypes = 32;

/**
 * Merges equal pairs of a response and its NACK, as a management server causes them that answers each NACK with the same
 * resources. Of each type, what take() returns keeps its order.
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

/** Whether the messages differ in their nonces alone. */
function isEqual(one: Read, other: Read): boolean {
  const before = (read: Read) => read.bytes.subarray(framePrefixBytes, read.nonceStart);
  const after = (read: Read) => read.bytes.subarray(read.nonceEnd);
  return Buffer.compare(before(one), before(other)) === 0 && Buffer.compare(after(one), after(other)) === 0;
}
