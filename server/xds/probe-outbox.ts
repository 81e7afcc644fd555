import type { Sighting } from '../observe';
import type { SourceStatus } from '../source-status';
import { type ProbeNews, packBodies } from './probe-messages';
import { splitSighting } from './split-sighting';

type Waiting =
  | { readonly kind: 'sighting'; readonly probe: number; readonly sighting: Sighting }
  | Exclude<ProbeNews, { readonly kind: 'sighting' }>;

/**
 * What the probes of this thread have to tell, in order. One piece is on its way at a time: the main thread is never
 * given more than it has turned to, and serves pages between two pieces. Bodies are copied when their turn comes.
 */
export class ProbeOutbox {
  #waiting: (Waiting | undefined)[] = [];
  /** Those before it are sent. */
  #next = 0;
  #isTaken = true;
  #onEmpty: (() => void)[] = [];

  constructor(private readonly post: (news: ProbeNews, transfer: readonly ArrayBuffer[]) => void) {}

  sight(probe: number, sighting: Sighting): void {
    for (const part of splitSighting(sighting)) {
      this.#waiting.push({ kind: 'sighting', probe, sighting: part });
    }
    this.#send();
  }

  /** How the probe was between two of its sightings interests nobody: the newest status replaces one that waits. */
  tellStatus(probe: number, status: SourceStatus): void {
    const last = this.#waiting.at(-1);
    const isWaiting = this.#waiting.length > this.#next;
    if (isWaiting && last?.kind === 'status' && last.probe === probe) this.#waiting.pop();
    this.#waiting.push({ kind: 'status', probe, status });
    this.#send();
  }

  tellClosed(probe: number): void {
    this.#waiting.push({ kind: 'closed', probe });
    this.#send();
  }

  /** The main thread has dealt with the last piece. */
  taken(): void {
    this.#isTaken = true;
    this.#send();
  }

  /** Resolves when all that waits now, and what came meanwhile, is taken: until then nothing more should be read. */
  emptied(): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  get #isEmpty(): boolean {
    return this.#isTaken && this.#next === this.#waiting.length;
  }

  #send(): void {
    if (!this.#isTaken) return;
    const next = this.#waiting[this.#next];
    if (next === undefined) {
      for (const resolve of this.#onEmpty.splice(0)) resolve();
      return;
    }
    // Its bodies, that are views of a message, are not needed by anybody else.
    this.#waiting[this.#next] = undefined;
    this.#next += 1;
    if (this.#next === this.#waiting.length || this.#next >= 1_000) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    this.#isTaken = false;
    if (next.kind !== 'sighting') {
      this.post(next, []);
      return;
    }
    const bodies = packBodies(next.sighting.bodies);
    const { probe, sighting } = next;
    this.post({ kind: 'sighting', probe, observation: sighting.observation, bodies }, [bodies.bytes]);
  }
}
