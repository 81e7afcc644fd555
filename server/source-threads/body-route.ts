import type { MessagePort } from 'node:worker_threads';
import type { Body, BodyChannel, OpenBodyChannel, PostedBody } from '../observe';
import { type CrossingBodies, unpackBodies } from './source-messages';

/**
 * The main thread's side of the channel for one thread's bodies to the log thread. Bodies that come with their
 * emission cause it to be opened, at the start and after the log thread ended.
 */
export class BodyRoute {
  #channel: BodyChannel | undefined;
  #lastMessage = 0;
  #isOpening = false;
  /** Incremented when the thread of the sources ends: a channel that is being opened then is closed. */
  #ends = 0;

  constructor(
    /** Absent: all bodies come with their emissions. */
    private readonly openChannel: OpenBodyChannel | undefined,
    /** Returns whether the thread of the sources is there to receive the port. */
    private readonly send: (channel: number, port: MessagePort) => boolean,
  ) {}

  /** Call when the thread of the sources has ended, and none of its messages will be passed to receive(). */
  end(): void {
    this.#ends += 1;
    this.#channel?.close(this.#lastMessage);
    this.#channel = undefined;
  }

  /** Passes the bodies of an emission to `take`, which appends the emission to the log. */
  receive(crossing: CrossingBodies, take: (bodies: readonly (Body | PostedBody)[]) => void): void {
    if ('bytes' in crossing) {
      take(unpackBodies(crossing));
      const isClosed = this.#channel === undefined || this.#channel.channel === crossing.closedChannel;
      if (crossing.entries.length > 0 && isClosed) void this.#open();
      return;
    }
    const { channel, message, entries } = crossing;
    const pack = { channel, message, kept: [] };
    let to = 0;
    const bodies = entries.map(({ hash, typeUrl, sizeBytes }) => {
      const from = to;
      to += sizeBytes;
      return { hash, typeUrl, pack, from, to };
    });
    take(bodies);
    // A channel that was replaced ended with its log thread.
    if (this.#channel?.channel !== channel) return;
    this.#lastMessage = message;
    this.#channel.settle(pack, entries.length);
  }

  async #open(): Promise<void> {
    if (this.openChannel === undefined || this.#isOpening) return;
    this.#isOpening = true;
    const ends = this.#ends;
    try {
      const opened = await this.openChannel();
      if (ends !== this.#ends || !this.send(opened.channel, opened.port)) opened.close(0);
      else {
        this.#channel = opened;
        this.#lastMessage = 0;
      }
    } catch {
      // The log thread ended, which the recorder reports. The next bodies come with their emission and open the way again.
    } finally {
      this.#isOpening = false;
    }
  }
}
