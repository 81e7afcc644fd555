import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { PostedPack } from '@/server/observe';

/** A source thread posts it to the log thread before it posts the observation that names the bodies to the main thread. */
interface BodyMessage {
  /** Number of the message in its channel, from 1 on. */
  readonly message: number;
  readonly bytes: ArrayBuffer;
  readonly count: number;
}

export type PackKey = Pick<PostedPack, 'channel' | 'message'>;

interface PlaceInPack extends PackKey {
  readonly from: number;
  readonly to: number;
}

/** The bodies of a message that the log needs. */
export interface KeptOfPack extends PackKey {
  readonly kept: readonly { readonly from: number; readonly to: number }[];
}

interface Channel {
  readonly port: MessagePort;
  /** The key is the number of the message. */
  readonly packs: Map<number, Pack>;
  isEnded: boolean;
}

interface Pack {
  bytes: Uint8Array;
  /** Copies of the kept bodies by `from`, if they are less than half of the message. `bytes` is then empty. */
  parts?: Map<number, Uint8Array>;
  readonly count: number;
  /** Number of bodies that are neither released nor known to be unnecessary. */
  left: number;
}

/**
 * Holds the bodies that source threads posted until the batches that name them are committed. It belongs to the log
 * thread and is not closed with the file. A source thread posts bodies before the observation that names them, and a
 * message is in the queue of its port when postMessage() returns. Therefore drain() finds the bodies of every
 * observation that has reached this thread through the main thread. The main thread states for each message which
 * bodies to keep, so that the others are freed.
 */
export class HeldBodies {
  readonly #channels = new Map<number, Channel>();

  /** Number of bytes that are held; tests read it. */
  get sizeBytes(): number {
    let sum = 0;
    for (const { packs } of this.#channels.values()) {
      for (const { bytes, parts } of packs.values()) {
        sum += bytes.length;
        for (const part of parts?.values() ?? []) sum += part.length;
      }
    }
    return sum;
  }

  open(channel: number, port: MessagePort): void {
    this.#channels.set(channel, { port, packs: new Map(), isEnded: false });
  }

  drain(): void {
    for (const { port, packs } of this.#channels.values()) {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        const { message, bytes, count }: BodyMessage = next.message;
        packs.set(message, { bytes: new Uint8Array(bytes), count, left: count });
      }
    }
  }

  /** Returns undefined if an earlier log thread held the body, or if it is stored already. */
  find({ channel, message, from, to }: PlaceInPack): Uint8Array | undefined {
    const pack = this.#channels.get(channel)?.packs.get(message);
    return pack?.parts === undefined ? pack?.bytes.subarray(from, to) : pack.parts.get(from);
  }

  /** Frees the bodies that are not kept. The kept ones are copied if they are less than half of the message. */
  keepOnly(messages: readonly KeptOfPack[]): void {
    for (const { channel, message, kept } of messages) {
      const pack = this.#channels.get(channel)?.packs.get(message);
      if (pack === undefined) continue;
      // Some of the kept bodies may be committed and released already.
      pack.left -= pack.count - kept.length;
      const keptBytes = kept.reduce((sum, { from, to }) => sum + to - from, 0);
      if (pack.left === 0) this.#delete(channel, message);
      else if (keptBytes * 2 < pack.bytes.length) {
        pack.parts = new Map(kept.map(({ from, to }) => [from, pack.bytes.slice(from, to)]));
        pack.bytes = new Uint8Array();
      }
    }
  }

  /** Must be called with the places of bodies that were committed. */
  release(stored: Iterable<PackKey>): void {
    for (const { channel, message } of stored) {
      const pack = this.#channels.get(channel)?.packs.get(message);
      if (pack === undefined) continue;
      pack.left -= 1;
      if (pack.left === 0) this.#delete(channel, message);
    }
  }

  /** Must be called when the source thread ended. No observation names bodies of messages after `lastMessage`. */
  end(channel: number, lastMessage: number): void {
    const ended = this.#channels.get(channel);
    if (ended === undefined) return;
    for (const message of ended.packs.keys()) if (message > lastMessage) ended.packs.delete(message);
    ended.port.close();
    ended.isEnded = true;
    if (ended.packs.size === 0) this.#channels.delete(channel);
  }

  #delete(id: number, message: number): void {
    const channel = this.#channels.get(id);
    channel?.packs.delete(message);
    if (channel?.isEnded && channel.packs.size === 0) this.#channels.delete(id);
  }
}

/** The operations of the log thread on held bodies. They do not use the file, which may be unusable. */
export function heldOperations(held: HeldBodies) {
  return {
    holdBodies: (channel: number, port: MessagePort): void => held.open(channel, port),
    keepOnlyBodies: (messages: readonly KeptOfPack[]): void => held.keepOnly(messages),
    endBodies: (channel: number, lastMessage: number): void => held.end(channel, lastMessage),
    readHeldBodies: (places: readonly PlaceInPack[]) =>
      places.map((place) => {
        const bytes = held.find(place);
        return bytes === undefined ? undefined : new Uint8Array(bytes);
      }),
  };
}
