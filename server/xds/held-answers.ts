import type { Clock } from '../observe';
import { AckPacing } from './ack-pacing';
import { NackPacing } from './nack-pacing';

/** Sends one answer. `repeats`: it speaks for so many responses, and only the last of them is worth telling. */
type Release = (repeats: number) => void;

interface Held {
  readonly kind: 'ack' | 'nack';
  /** Oldest first. */
  readonly releases: Release[];
  /** Responses since the last one that was told. */
  repeats: number;
  timer: { cancel(): void };
}

/**
 * Answers that are held back, so that a server that answers each answer with the same thing again does not keep both of
 * us busy. In state of the world the newest answer of a type is the only one that counts; delta wants each.
 */
export class HeldAnswers {
  readonly #nacks = new NackPacing();
  readonly #acks = new AckPacing();
  readonly #held = new Map<string, Held>();

  constructor(private readonly clock: Clock) {}

  /** The ACK of a response that changed something. */
  acceptNews(typeUrl: string, isDelta: boolean, release: Release): void {
    this.#supersede(typeUrl, isDelta);
    this.#nacks.forget(typeUrl);
    release(1);
  }

  /** The ACK of a response that changed nothing; `release` gets 0 where a later one is told in its place. */
  acceptRepeat(typeUrl: string, isDelta: boolean, release: Release): void {
    this.#nacks.forget(typeUrl);
    const delayMs = this.#acks.nextDelayMs(typeUrl, this.clock.now());
    if (delayMs === 0) {
      this.#supersede(typeUrl, isDelta);
      release(1);
      return;
    }
    const held = this.#held.get(typeUrl);
    if (held?.kind === 'ack') {
      held.repeats += 1;
      if (!isDelta) held.releases.pop();
      held.releases.push(release);
      return;
    }
    this.#supersede(typeUrl, isDelta);
    this.#hold(typeUrl, 'ack', delayMs, release);
  }

  refuse(
    typeUrl: string,
    isDelta: boolean,
    what: { version: string; errorDetail: string },
    release: Release,
  ): void {
    const delayMs = this.#nacks.nextDelayMs(typeUrl, what.version, what.errorDetail);
    const held = this.#held.get(typeUrl);
    if (held?.kind === 'nack' && isDelta && delayMs > 0) {
      held.releases.push(release);
      return;
    }
    this.#supersede(typeUrl, isDelta);
    if (delayMs === 0) release(1);
    else this.#hold(typeUrl, 'nack', delayMs, release);
  }

  /** The stream of the type ended: nobody waits for the answer. */
  drop(typeUrl: string): void {
    this.#held.get(typeUrl)?.timer.cancel();
    this.#held.delete(typeUrl);
    this.#nacks.forget(typeUrl);
    this.#acks.forget(typeUrl);
  }

  dropAll(): void {
    for (const typeUrl of [...this.#held.keys()]) this.drop(typeUrl);
    this.#nacks.forgetAll();
    this.#acks.forgetAll();
  }

  #hold(typeUrl: string, kind: Held['kind'], delayMs: number, release: Release): void {
    const timer = this.clock.setTimeout(() => this.#release(typeUrl), delayMs);
    this.#held.set(typeUrl, { kind, releases: [release], repeats: 1, timer });
  }

  /** Something newer is to be answered: a NACK that it overtakes in state of the world is not sent any more. */
  #supersede(typeUrl: string, isDelta: boolean): void {
    const held = this.#held.get(typeUrl);
    if (held?.kind === 'nack' && !isDelta) {
      held.timer.cancel();
      this.#held.delete(typeUrl);
    } else {
      this.#release(typeUrl);
    }
  }

  #release(typeUrl: string): void {
    const held = this.#held.get(typeUrl);
    if (held === undefined) return;
    held.timer.cancel();
    this.#held.delete(typeUrl);
    for (const [index, release] of held.releases.entries()) {
      const isTold = held.kind === 'nack' || index === held.releases.length - 1;
      release(isTold ? held.repeats : 0);
    }
  }
}
