import type { Observation } from '@/lib/observation/observation';
import type { Emission } from '../../observe';
import { packBodies } from '../../packed-bodies';
import type { SourceStatus } from '../../source-status';
import type { AnsweredRequest, SourceNews } from './source-messages';
import { partLimits, splitEmission } from './split-emission';

/** The status may be replaced while it waits. */
interface WaitingStatus {
  readonly kind: 'status';
  readonly source: number;
  status: SourceStatus;
}

type Waiting =
  | { readonly kind: 'emission'; readonly source: number; readonly emission: Emission }
  | { readonly kind: 'closed'; readonly source: number }
  | AnsweredRequest
  | WaitingStatus;

/** Statuses of one message. */
const statusesAtOnce = 200;
/** Shares of the work that the main thread may have at once. */
const ofStatuses = 0.25;
const ofClosed = 0.02;

/**
 * The messages of this thread's sources to the main thread, in order. One message of the largest size, or several
 * small ones of the same cost, are unacknowledged at a time, so that the main thread serves pages in between. Bodies
 * are copied when they are sent.
 */
export class SourceOutbox {
  readonly #postNews: (news: SourceNews, transfer: readonly ArrayBuffer[]) => void;

  #waiting: (Waiting | undefined)[] = [];
  /** The waiting status of each source, if it is the source's newest entry. */
  readonly #lastStatus = new Map<number, WaitingStatus>();
  /** Index of the first entry that is not sent. */
  #next = 0;
  /** The shares of unacknowledged messages, the oldest first. */
  readonly #onTheirWay: number[] = [];
  #onEmpty: (() => void)[] = [];
  #onSent: (() => void)[] = [];

  constructor(postNews: (news: SourceNews, transfer: readonly ArrayBuffer[]) => void) {
    this.#postNews = postNews;
  }

  emit(source: number, emission: Emission): void {
    for (const part of splitEmission(emission))
      this.#waiting.push({ kind: 'emission', source, emission: part });
    this.#lastStatus.delete(source);
    this.#send();
  }

  /** The newest status replaces a waiting one, unless an emission came in between. */
  reportStatus(source: number, status: SourceStatus): void {
    const last = this.#lastStatus.get(source);
    if (last !== undefined) {
      last.status = status;
      return;
    }
    const waiting: WaitingStatus = { kind: 'status', source, status };
    this.#lastStatus.set(source, waiting);
    this.#waiting.push(waiting);
    this.#send();
  }

  reportClosed(source: number): void {
    this.#lastStatus.delete(source);
    this.#waiting.push({ kind: 'closed', source });
    this.#send();
  }

  answer(answered: AnsweredRequest): void {
    this.#lastStatus.delete(answered.source);
    this.#waiting.push(answered);
    this.#send();
  }

  /** Call when the main thread has acknowledged the oldest message. */
  taken(): void {
    this.#onTheirWay.shift();
    this.#send();
  }

  /** Resolves when everything is posted; undefined if it is. More may be read while the main thread handles it. */
  sent(): Promise<void> | undefined {
    if (this.#next === this.#waiting.length) return undefined;
    return new Promise((resolve) => this.#onSent.push(resolve));
  }

  /** Resolves when everything is acknowledged. Nothing more should be read until then. */
  emptied(): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  get #isEmpty(): boolean {
    return this.#onTheirWay.length === 0 && this.#next === this.#waiting.length;
  }

  #send(): void {
    while (this.#sendNext());
    if (this.#next === this.#waiting.length) for (const resolve of this.#onSent.splice(0)) resolve();
    if (this.#isEmpty) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Returns false if nothing waits or the next entry has to wait for acknowledgements. */
  #sendNext(): boolean {
    const first = this.#waiting[this.#next];
    if (first === undefined) return false;
    const share = shareOf(first);
    const unacknowledged = this.#onTheirWay.reduce((sum, each) => sum + each, 0);
    if (unacknowledged > 0 && unacknowledged + share > 1) return false;
    const next = this.#shift();
    if (next === undefined) return false;
    this.#onTheirWay.push(share);
    this.#post(next);
    return true;
  }

  #post(next: Waiting): void {
    if (next.kind === 'closed' || next.kind === 'answered') this.#postNews(next, []);
    else if (next.kind === 'emission') {
      const { source, emission } = next;
      const bodies = packBodies(emission.bodies);
      this.#postNews({ kind: 'emission', source, observation: emission.observation, bodies }, [bodies.bytes]);
    } else this.#postNews({ kind: 'statuses', statuses: this.#statusesFrom(next) }, []);
  }

  /** This status, and those directly behind it. */
  #statusesFrom(first: WaitingStatus): { readonly source: number; readonly status: SourceStatus }[] {
    const statuses: WaitingStatus[] = [first];
    while (statuses.length < statusesAtOnce && this.#waiting[this.#next]?.kind === 'status') {
      const next = this.#shift();
      if (next?.kind === 'status') statuses.push(next);
    }
    for (const each of statuses) {
      if (this.#lastStatus.get(each.source) === each) this.#lastStatus.delete(each.source);
    }
    return statuses.map(({ source, status }) => ({ source, status }));
  }

  #shift(): Waiting | undefined {
    const next = this.#waiting[this.#next];
    if (next === undefined) return undefined;
    // Releases its bodies, which are views of a message.
    this.#waiting[this.#next] = undefined;
    this.#next += 1;
    if (this.#next === this.#waiting.length || this.#next >= 1_000) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    return next;
  }
}

/** The share of the work that the main thread may have at once. */
function shareOf(waiting: Waiting): number {
  if (waiting.kind === 'status') return ofStatuses;
  if (waiting.kind === 'closed' || waiting.kind === 'answered') return ofClosed;
  const { observation, bodies } = waiting.emission;
  const bodyBytes = bodies.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return Math.max(ofClosed, rowsOf(observation) / partLimits.rows, bodyBytes / partLimits.bodyBytes);
}

function rowsOf(observation: Observation): number {
  if ('changed' in observation) return observation.changed.length + observation.removed.length;
  if (observation.kind !== 'load-reported') return 1;
  return observation.clusters.reduce(
    (sum, { localities, dropped }) => sum + 1 + localities.length + dropped.length,
    0,
  );
}
