import type { MessagePort } from 'node:worker_threads';
import type { Body, BodyChannel, OpenBodyChannel, PostedBody } from '../../observe';
import type { BodyPort } from './body-post';
import { type CrossingBodies, unpackBodies } from './source-messages';

/** The bodies of a message of another thread, mostly without their bytes. */
export interface ReceivedBodies {
  readonly bodies: readonly (Body | PostedBody)[];
  /** Call when the observations that name the bodies were appended: the log thread frees the others. */
  settle(): void;
}

/** The main thread's side of the channel for one thread's bodies to the log thread. */
export class BodyRoute {
  readonly #send: (channel: number, port: MessagePort) => boolean;

  /** undefined: bodies come with their emissions. */
  #openChannel: OpenBodyChannel | undefined;
  #channel: BodyChannel | undefined;
  #lastMessage = 0;
  #isOpening = false;
  /** Incremented when the thread of the sources ends: a channel that is being opened then is closed. */
  #ends = 0;
  readonly #unsettled = new Set<() => void>();

  constructor(
    openChannel: OpenBodyChannel | undefined,
    /** Returns whether the thread of the sources is there to receive the port. */
    send: (channel: number, port: MessagePort) => boolean,
  ) {
    this.#send = send;

    this.#openChannel = openChannel;
  }

  /**
   * Opens the route for a thread that runs once and receives the port when it starts. After the log thread ended,
   * bodies come with their emissions.
   */
  static async openOnce(openChannel: OpenBodyChannel | undefined) {
    let port: BodyPort | undefined;
    const route = new BodyRoute(openChannel, (channel, opened) => {
      port = { channel, port: opened };
      return true;
    });
    await route.open();
    route.#openChannel = undefined;
    return { route, port };
  }

  /** Call when the thread of the sources has ended, and nothing more that it sent will be appended. */
  end(): void {
    this.#ends += 1;
    for (const settle of this.#unsettled) settle();
    this.#channel?.close(this.#lastMessage);
    this.#channel = undefined;
  }

  receive(crossing: CrossingBodies): ReceivedBodies {
    if ('bytes' in crossing) {
      const isClosed = this.#channel === undefined || this.#channel.channel === crossing.closedChannel;
      if (crossing.entries.length > 0 && isClosed) void this.open();
      return { bodies: unpackBodies(crossing), settle: () => undefined };
    }
    const { channel, message, entries } = crossing;
    const pack = { channel, message, kept: [] };
    let to = 0;
    const bodies = entries.map(({ hash, typeUrl, sizeBytes }) => {
      const from = to;
      to += sizeBytes;
      return { hash, typeUrl, pack, from, to };
    });
    const open = this.#channel;
    // A channel that was replaced ended with its log thread.
    if (open?.channel !== channel) return { bodies, settle: () => undefined };
    this.#lastMessage = message;
    const settle = (): void => {
      if (this.#unsettled.delete(settle)) open.acknowledge(pack, entries.length);
    };
    this.#unsettled.add(settle);
    return { bodies, settle };
  }

  /** Does nothing while a channel is being opened. Bodies that come with their emission open one as well. */
  async open(): Promise<void> {
    if (this.#openChannel === undefined || this.#isOpening) return;
    this.#isOpening = true;
    const ends = this.#ends;
    try {
      const opened = await this.#openChannel();
      if (ends !== this.#ends || !this.#send(opened.channel, opened.port)) opened.close(0);
      else {
        this.#channel = opened;
        this.#lastMessage = 0;
      }
    } catch {
      // The log thread ended, which the recorder reports. The next bodies come with their emission and open a channel.
    } finally {
      this.#isOpening = false;
    }
  }
}
