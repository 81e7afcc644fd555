import type { Emission } from '../../observe';
import { packBodies } from '../../source-threads/source-messages';
import { splitEmission } from '../../source-threads/split-emission';
import type { RecordingNews } from '../tap-messages';

interface Waiting {
  readonly tap: number;
  /** null: nothing more comes of the tap. */
  readonly emission: Emission | null;
}

/** What the thread that serves pages takes in at once. */
const maxEmissions = 200;
const maxBodyBytes = 512 * 1024;

/**
 * What was recorded, on its way to the main thread: one piece at a time, so that it is never given more than it has
 * turned to, and serves pages between two of them.
 */
export class TapOutbox {
  #waiting: Waiting[] = [];
  /** Those before it are sent. */
  #next = 0;
  #isTaken = true;
  #onRelaxed: (() => void)[] = [];

  constructor(private readonly post: (news: RecordingNews, transfer: readonly ArrayBuffer[]) => void) {}

  sight(tap: number, emission: Emission): void {
    for (const part of splitEmission(emission)) this.#waiting.push({ tap, emission: part });
    this.#send();
  }

  /** Reported behind everything that was recorded of it. */
  close(tap: number): void {
    this.#waiting.push({ tap, emission: null });
    this.#send();
  }

  /** The main thread has dealt with the last piece. */
  taken(): void {
    this.#isTaken = true;
    this.#send();
  }

  /** Resolves when no more than one piece waits: until then nothing more should be read. */
  relaxed(): Promise<void> {
    if (this.#waiting.length - this.#next <= maxEmissions) return Promise.resolve();
    return new Promise((resolve) => this.#onRelaxed.push(resolve));
  }

  #send(): void {
    if (!this.#isTaken || this.#next === this.#waiting.length) return;
    const piece: { readonly tap: number; readonly emission: Emission }[] = [];
    const closed: number[] = [];
    let bodyBytes = 0;
    for (; this.#next < this.#waiting.length && piece.length < maxEmissions; this.#next++) {
      const next = this.#waiting[this.#next];
      if (next === undefined) break;
      const { tap, emission } = next;
      if (emission === null) {
        closed.push(tap);
        continue;
      }
      bodyBytes += emission.bodies.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (piece.length > 0 && bodyBytes > maxBodyBytes) break;
      piece.push({ tap, emission });
    }
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    if (piece.length > 0) this.#post(piece);
    for (const tap of closed) this.post({ kind: 'tap-closed', tap }, []);
    if (this.#waiting.length > maxEmissions) return;
    for (const resolve of this.#onRelaxed.splice(0)) resolve();
  }

  #post(piece: readonly { readonly tap: number; readonly emission: Emission }[]): void {
    this.#isTaken = false;
    const bodies = packBodies(piece.flatMap(({ emission }) => emission.bodies));
    const emissions = piece.map(({ tap, emission }) => {
      return { tap, observation: emission.observation, bodies: emission.bodies.length };
    });
    this.post({ kind: 'emissions', emissions, bodies }, [bodies.bytes]);
  }
}
