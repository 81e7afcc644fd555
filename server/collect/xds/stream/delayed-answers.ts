import type { Clock } from '../../../observe';

/** Sends one answer. It stands for `repeats` responses, of which only the last is reported, or 0 if a later one is. */
type Release = (repeats: number) => void;

interface DelayedAnswer {
  readonly release: Release;
  readonly isRepeat: boolean;
}

interface Held {
  readonly kind: 'ack' | 'nack';
  /** Oldest first. */
  readonly answers: DelayedAnswer[];
  /** The number of repeats that were removed from `answers` unreported. */
  unreported: number;
  timer: { cancel(): void };
}

interface Rejection {
  readonly version: string;
  readonly errorDetail: string;
  /** The result of isRejectedAgain(). */
  readonly isRepeat: boolean;
}

/** The limit of delayed answers in delta, where each answer is sent. */
const maxHeld = 100;

/**
 * Delayed answers, for servers that reply to each answer with the same response. In state of the world only the last answer
 * of a type counts; in delta each answer is sent.
 */
export class DelayedAnswers {
  readonly #clock: Clock;
  readonly #nacks = new NackPacing();
  readonly #acks = new AckPacing();
  readonly #held = new Map<string, Held>();
  readonly #rejected = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends the ACK of a response that changed something. */
  acceptNews(typeUrl: string, isDelta: boolean, release: Release): void {
    this.#supersede(typeUrl, isDelta);
    this.#forgetRejections(typeUrl);
    release(1);
  }

  /** Sends or delays the ACK of a response that changed nothing. */
  acceptRepeat(typeUrl: string, isDelta: boolean, release: Release): void {
    this.#forgetRejections(typeUrl);
    const delayMs = this.#acks.nextDelayMs(typeUrl, this.#clock.now());
    if (delayMs === 0) {
      this.#supersede(typeUrl, isDelta);
      release(1);
      return;
    }
    if (this.#held.get(typeUrl)?.kind !== 'ack') this.#supersede(typeUrl, isDelta);
    this.#hold(typeUrl, isDelta, 'ack', delayMs, { release, isRepeat: true });
  }

  /** Returns whether the last response of the type was rejected with the same content. Null content equals no other. */
  isRejectedAgain(typeUrl: string, content: string | null): boolean {
    const isSame = content !== null && this.#rejected.get(typeUrl) === content;
    if (content === null) this.#rejected.delete(typeUrl);
    else this.#rejected.set(typeUrl, content);
    return isSame;
  }

  /** Sends or delays a NACK. */
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

  /** Discards the answers of a type whose stream has ended. */
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

  /** Adds an answer to those held for the same time. In state of the world it replaces them. */
  #hold(typeUrl: string, isDelta: boolean, kind: Held['kind'], delayMs: number, answer: DelayedAnswer): void {
    const held = this.#held.get(typeUrl);
    if (held === undefined) {
      const timer = this.#clock.setTimeout(() => this.#release(typeUrl), delayMs);
      this.#held.set(typeUrl, { kind, answers: [answer], unreported: 0, timer });
      return;
    }
    if (!isDelta) {
      const [replaced] = held.answers.splice(0);
      if (replaced?.isRepeat === true) held.unreported += 1;
    } else if (held.answers.length >= maxHeld) {
      const oldest = held.answers.shift();
      if (oldest?.isRepeat === true) held.unreported += 1;
      oldest?.release(oldest.isRepeat ? 0 : 1);
    }
    held.answers.push(answer);
  }

  /** Must be called before a newer answer. It discards a held NACK in state of the world, and sends other answers. */
  #supersede(typeUrl: string, isDelta: boolean): void {
    const held = this.#held.get(typeUrl);
    if (held?.kind === 'nack' && !isDelta) {
      held.timer.cancel();
      this.#held.delete(typeUrl);
    } else {
      this.#release(typeUrl);
    }
  }

  /** Sends the held answers. Only the last one of consecutive repeats is reported. */
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

/**
 * Some servers answer each ACK with the same resources under a new version. The first ACKs of a second are sent at once,
 * the others at its end, so that such a server does not cause a busy loop.
 */
class AckPacing {
  readonly #windows = new Map<string, { readonly endsAtMs: number; times: number }>();

  /** Returns the time by which to delay the ACK of a response that changes nothing. */
  nextDelayMs(typeUrl: string, nowMs: number): number {
    const window = this.#windows.get(typeUrl);
    // A clock that is set back must not delay an ACK for longer than a window.
    if (window === undefined || nowMs >= window.endsAtMs || nowMs < window.endsAtMs - windowMs) {
      this.#windows.set(typeUrl, { endsAtMs: nowMs + windowMs, times: 1 });
      return 0;
    }
    window.times += 1;
    return window.times <= promptInWindow ? 0 : window.endsAtMs - nowMs;
  }

  /** Must be called when the stream of the type has ended. */
  forget(typeUrl: string): void {
    this.#windows.delete(typeUrl);
  }

  forgetAll(): void {
    this.#windows.clear();
  }
}

const windowMs = 1_000;
const promptInWindow = 10;

/**
 * Some servers answer a NACK by sending the same resources at once (go-control-plane, if the requested version is not the
 * one of the snapshot). The first NACK is sent at once, and the delay doubles with each repetition. If the version differs
 * each time, every NACK after `promptInRow` without an ACK is delayed by a second.
 */
export class NackPacing {
  readonly #rejections = new Map<
    string,
    { readonly what: string; readonly times: number; readonly inRow: number }
  >();

  nextDelayMs(typeUrl: string, versionInfo: string, errorDetail: string): number {
    const what = `${versionInfo}\u0000${errorDetail}`;
    const before = this.#rejections.get(typeUrl);
    const times = before?.what === what ? before.times + 1 : 0;
    const inRow = (before?.inRow ?? 0) + 1;
    this.#rejections.set(typeUrl, { what, times, inRow });
    const roundDelayMs = inRow > promptInRow ? inRowDelayMs : 0;
    return times === 0 ? roundDelayMs : Math.min(firstDelayMs * 2 ** (times - 1), maxDelayMs);
  }

  /** Must be called when a response of the type is accepted. */
  forget(typeUrl: string): void {
    this.#rejections.delete(typeUrl);
  }

  /** Must be called when the stream has ended. */
  forgetAll(): void {
    this.#rejections.clear();
  }
}

const firstDelayMs = 500;
const maxDelayMs = 30_000;
const promptInRow = 20;
const inRowDelayMs = 1_000;
