import type { Direction } from '../copy-events';
import { type Copy, RepeatedPairs } from './repeated-pairs';

/** Larger messages are not compared. */
const maxMessageBytes = 1024 * 1024;

/**
 * Holds back the copies of one stream while recording falls behind, and merges equal pairs of a response and its NACK. What
 * is passed on keeps its order within each type.
 */
export class CopyMerger {
  #pairs = new RepeatedPairs();
  /** The begin of an incomplete message. */
  readonly #begun: Readonly<Record<Direction, Copy[]>> = { up: [], down: [] };
  isActive = false;

  get heldBytes(): number {
    return this.#pairs.heldBytes + bytesOf(this.#begun.up) + bytesOf(this.#begun.down);
  }

  /** `begins`, `ends`: a message begins at the first byte, and ends at the last one. Returns the copies to pass on. */
  take(copy: Copy, { begins, ends }: { readonly begins: boolean; readonly ends: boolean }): readonly Copy[] {
    this.isActive = true;
    const begun = this.#begun[copy.direction];
    const isPart = begins ? copy.messages === 1 : copy.messages === 0 && begun.length > 0;
    if (!isPart || bytesOf(begun) + copy.bytes.length > maxMessageBytes)
      return [...this.#pairs.release(), ...begun.splice(0), copy];
    // The bytes are a view of a buffer that is used again.
    begun.push({ ...copy, bytes: Uint8Array.from(copy.bytes) });
    return ends ? this.#pairs.take({ ...copy, messages: 1, bytes: joined(begun.splice(0)) }) : [];
  }

  /** Returns the merged pairs and continues. */
  flush(): readonly Copy[] {
    return this.#pairs.flush();
  }

  /** Returns all that is held back, and ends merging. */
  release(): readonly Copy[] {
    this.isActive = false;
    return [...this.#pairs.release(), ...this.#begun.up.splice(0), ...this.#begun.down.splice(0)];
  }
}

function bytesOf(copies: readonly Copy[]): number {
  return copies.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function joined(copies: readonly Copy[]): Uint8Array {
  const [first] = copies;
  return copies.length === 1 && first !== undefined
    ? first.bytes
    : Buffer.concat(copies.map(({ bytes }) => bytes));
}
