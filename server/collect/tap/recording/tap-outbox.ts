import type { Emission } from '../../../observe';
import { packBodies } from '../../../packed-bodies';
import { splitEmission } from '../../collector/split-emission';
import type { RecordingNews } from '../tap-messages';

interface Waiting {
  readonly tap: number;
  readonly emission: Emission | null;
}

/** Limits one part, because the main thread also serves pages. */
const maxEmissions = 200;
const maxBodyBytes = 512 * 1024;

/** Sends recorded emissions to the main thread, one part at a time. The next part follows the acknowledgement. */
export class TapOutbox {
  readonly #postNews: (news: RecordingNews, transfer: readonly ArrayBuffer[]) => void;
  #waiting: Waiting[] = [];
  #next = 0;
  #isAcknowledged = true;
  #onDrained: (() => void)[] = [];

  constructor(postNews: (news: RecordingNews, transfer: readonly ArrayBuffer[]) => void) {
    this.#postNews = postNews;
  }

  emit(tap: number, emission: Emission): void {
    for (const each of splitEmission(emission)) this.#waiting.push({ tap, emission: each });
    this.#send();
  }

  /** Reported after all emissions of the tap. */
  close(tap: number): void {
    this.#waiting.push({ tap, emission: null });
    this.#send();
  }

  /** Must be called when the main thread has processed the last part. */
  acknowledge(): void {
    this.#isAcknowledged = true;
    this.#send();
  }

  /** Resolves when at most one part waits. No more copies should be read until then. */
  drained(): Promise<void> {
    if (this.#waiting.length - this.#next <= maxEmissions) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  #send(): void {
    if (!this.#isAcknowledged || this.#next === this.#waiting.length) return;
    const part: { readonly tap: number; readonly emission: Emission }[] = [];
    const closed: number[] = [];
    let bodyBytes = 0;
    for (; this.#next < this.#waiting.length && part.length < maxEmissions; this.#next++) {
      const next = this.#waiting[this.#next];
      if (next === undefined) break;
      const { tap, emission } = next;
      if (emission === null) {
        closed.push(tap);
        continue;
      }
      bodyBytes += emission.bodies.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (part.length > 0 && bodyBytes > maxBodyBytes) break;
      part.push({ tap, emission });
    }
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    if (part.length > 0) this.#post(part);
    for (const tap of closed) this.#postNews({ kind: 'tap-closed', tap }, []);
    if (this.#waiting.length > maxEmissions) return;
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  #post(part: readonly { readonly tap: number; readonly emission: Emission }[]): void {
    this.#isAcknowledged = false;
    const bodies = packBodies(part.flatMap(({ emission }) => emission.bodies));
    const emissions = part.map(({ tap, emission }) => {
      return { tap, observation: emission.observation, bodies: emission.bodies.length };
    });
    this.#postNews({ kind: 'emissions', emissions, bodies }, [bodies.bytes]);
  }
}
