import type { MessagePort } from 'node:worker_threads';
import type { Body } from '../../observe';
import { type CrossingBodies, packBodies } from './source-messages';

/** The port to the log thread, for the thread of the sources. */
export interface BodyPort {
  readonly channel: number;
  readonly port: MessagePort;
}

/**
 * Posts the bodies of an emission to the log thread, before the emission goes to the main thread. Runs in the thread
 * of the sources. Without a port, at the start and after the log thread ended, bodies go with the emission.
 */
export class BodyPost {
  #port: MessagePort | undefined;
  #channel: number | undefined;
  #messages = 0;

  constructor(port?: BodyPort) {
    if (port !== undefined) this.connect(port);
  }

  connect({ channel, port }: BodyPort): void {
    this.#port = port;
    this.#channel = channel;
    this.#messages = 0;
    port.once('close', () => {
      if (this.#port === port) this.#port = undefined;
    });
  }

  /** The message for the main thread in place of the bodies, and its transfer list. */
  pack(bodies: readonly Body[]): { readonly bodies: CrossingBodies; readonly transfer: ArrayBuffer[] } {
    const packed = packBodies(bodies);
    const channel = this.#channel;
    if (this.#port === undefined || channel === undefined || bodies.length === 0) {
      return { bodies: { ...packed, closedChannel: channel }, transfer: [packed.bytes] };
    }
    const { bytes, entries } = packed;
    const message = ++this.#messages;
    this.#port.postMessage({ message, bytes, count: entries.length }, [bytes]);
    return { bodies: { channel, message, entries }, transfer: [] };
  }
}
