import type { Clock } from '../../observe';
import { AckPacing, NackPacing } from './answer-pacing';

/** Sends one answer. `repeats`: it speaks for so many responses, and only the last of them is worth telling. */
type Release = (repeats: number) => void;

interface HeldAnswer {
  readonly release: Release;
  /** It may be reported together with the next one. */
  readonly isRepeat: boolean;
}

interface Held {
  readonly kind: 'ack' | 'nack';
  /** Oldest first. */
  readonly answers: HeldAnswer[];
  /** Repeats that are not in `answers` any more, and were not reported. */
  unreported: number;
  timer: { cancel(): void };
}

export interface Rejection {
  readonly version: string;
  readonly errorDetail: string;
  /** See isRejectedAgain(). */
  readonly isRepeat: boolean;
}

/** By delta each answer is sent, but nobody keeps more of them than this. */
const mostHeld = 100;

/**
 * Answers that are held back, so that a server that answers each answer with the same thing again does not keep both of
 * us busy. In state of the world the newest answer of a type is the only one that counts; delta wants each.
 */
export class HeldAnswers {
  readonly #nacks = new NackPacing();
  readonly #acks = new AckPacing();
  readonly #held = new Map<string, Held>();
  /** By type: what was rejected last. */
  readonly #rejected = new Map<string, string>();

  constructor(private readonly clock: Clock) {}

  /** The ACK of a response that changed something. */
  acceptNews(typeUrl: string, isDelta: boolean, release: Release): void {
    this.#supersede(typeUrl, isDelta);
    this.#forgetRejections(typeUrl);
    release(1);
  }

  /** The ACK of a response that changed nothing; `release` gets 0 where a later one is reported in its place. */
  acceptRepeat(typeUrl: string, isDelta: boolean, release: Release): void {
    this.#forgetRejections(typeUrl);
    const delayMs = this.#acks.nextDelayMs(typeUrl, this.clock.now());
    if (delayMs === 0) {
      this.#supersede(typeUrl, isDelta);
      release(1);
      return;
    }
    if (this.#held.get(typeUrl)?.kind !== 'ack') this.#supersede(typeUrl, isDelta);
    this.#hold(typeUrl, isDelta, 'ack', delayMs, { release, isRepeat: true });
  }

  /** Is it what was rejected last, with nothing accepted since? `content` null: it is like nothing else. */
  isRejectedAgain(typeUrl: string, content: string | null): boolean {
    const isSame = content !== null && this.#rejected.get(typeUrl) === content;
    if (content === null) this.#rejected.delete(typeUrl);
    else this.#rejected.set(typeUrl, content);
    return isSame;
  }

  /** `release` gets 0 where a later rejection of the same thing is reported in its place. */
  reject(
    typeUrl: string,
    isDelta: boolean,
    { version, errorDetail, isRepeat }: Rejection,
    release: Release,
  ): void {
    const delayMs = this.#nacks.nextDelayMs(typeUrl, version, errorDetail);
    if (delayMs > 0 && this.#held.get(typeUrl)?.kind === 'nack') {
      this.#hold(typeUrl, isDelta, 'nack', delayMs, { release, isRepeat });
      return;
    }
    this.#supersede(typeUrl, isDelta);
    if (delayMs === 0) release(1);
    else this.#hold(typeUrl, isDelta, 'nack', delayMs, { release, isRepeat });
  }

  /** The stream of the type ended: nobody waits for the answer. */
  drop(typeUrl: string): void {
    this.#held.get(typeUrl)?.timer.cancel();
    this.#held.delete(typeUrl);
    this.#forgetRejections(typeUrl);
    this.#acks.forget(typeUrl);
  }

  dropAll(): void {
    for (const typeUrl of [...this.#held.keys()]) this.drop(typeUrl);
    this.#nacks.forgetAll();
    this.#rejected.clear();
    this.#acks.forgetAll();
  }

  #forgetRejections(typeUrl: string): void {
    this.#nacks.forget(typeUrl);
    this.#rejected.delete(typeUrl);
  }

  /** Beside what is held already, which keeps its time; in state of the world, in its place. */
  #hold(typeUrl: string, isDelta: boolean, kind: Held['kind'], delayMs: number, answer: HeldAnswer): void {
    const held = this.#held.get(typeUrl);
    if (held === undefined) {
      const timer = this.clock.setTimeout(() => this.#release(typeUrl), delayMs);
      this.#held.set(typeUrl, { kind, answers: [answer], unreported: 0, timer });
      return;
    }
    if (!isDelta) {
      const [overtaken] = held.answers.splice(0);
      if (overtaken?.isRepeat === true) held.unreported += 1;
    } else if (held.answers.length >= mostHeld) {
      const oldest = held.answers.shift();
      if (oldest?.isRepeat === true) held.unreported += 1;
      oldest?.release(oldest.isRepeat ? 0 : 1);
    }
    held.answers.push(answer);
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

  /** Of repeats in a row the last one is reported, for all of them. */
  #release(typeUrl: string): void {
    const held = this.#held.get(typeUrl);
    if (held === undefined) return;
    held.timer.cancel();
    this.#held.delete(typeUrl);
    let { unreported } = held;
    for (const [index, { release, isRepeat }] of held.answers.entries()) {
      if (!isRepeat) {
        release(1);
        continue;
      }
      unreported += 1;
      const isReported = held.answers[index + 1]?.isRepeat !== true;
      release(isReported ? unreported : 0);
      if (isReported) unreported = 0;
    }
  }
}
