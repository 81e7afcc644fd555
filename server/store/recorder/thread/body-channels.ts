import { MessageChannel } from 'node:worker_threads';
import type { BodyChannel } from '@/server/observe';
import type { KeptOfPack } from '../bodies/held-bodies';
import type { RecorderThread } from './recorder-thread';

/** Opens the ports on which source threads post bodies to the log thread (see HeldBodies). */
export class BodyChannels {
  readonly #thread: Pick<RecorderThread, 'call' | 'holdBodies'>;

  #count = 0;
  #acknowledged: KeptOfPack[] = [];
  #isSending = false;

  constructor(thread: Pick<RecorderThread, 'call' | 'holdBodies'>) {
    this.#thread = thread;
  }

  async open(): Promise<BodyChannel> {
    const channel = ++this.#count;
    const { port1, port2 } = new MessageChannel();
    await this.#thread.holdBodies(channel, port1);
    return {
      channel,
      port: port2,
      acknowledge: ({ message, kept }, count) => {
        if (kept.length === count) return;
        this.#acknowledged.push({ channel, message, kept: kept.map(({ from, to }) => ({ from, to })) });
        if (!this.#isSending) void this.#send();
      },
      close: (lastMessage) =>
        void this.#thread.call('endBodies', channel, lastMessage).catch(ignoreThreadEnd),
    };
  }

  /** One request runs at a time; later messages are part of the next one. */
  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#acknowledged.length > 0) {
      await this.#thread.call('keepOnlyBodies', this.#acknowledged.splice(0)).catch(ignoreThreadEnd);
    }
    this.#isSending = false;
  }
}

/** These requests fail only if the log thread ends, which frees everything that it held. */
function ignoreThreadEnd(): void {}
