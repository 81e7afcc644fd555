import type { StreamChange } from '@/lib/views/stream/schema';
import type { FleetHolding } from '../live/held-clients';
import type { Clock } from '../observe';
import { maxNoticeBytes, notify } from '../store/notify';
import type { StoreDatabase } from '../store/schema';
import { RepeatedWork } from './repeated-work';

interface FleetChangesParts {
  readonly clock: Clock;
  readonly database: StoreDatabase;
  readonly holding: FleetHolding;
  readonly publish: (change: StreamChange) => void;
}

const sendEveryMs = 100;
/** These changes are known only to the process that holds all clients. */
const relayed: ReadonlySet<StreamChange['type']> = new Set(['event', 'nacks', 'issues']);
const mostWaiting = 500;

/** Passes changes of the fleet on to the pages of other processes, as notices. */
export class FleetChanges {
  readonly #parts: FleetChangesParts;
  readonly #work: RepeatedWork;
  #waiting: string[] = [];

  constructor(parts: FleetChangesParts) {
    this.#parts = parts;
    this.#work = new RepeatedWork({
      ...{ clock: parts.clock, everyMs: sendEveryMs, failure: 'changes of the fleet are not passed on' },
      work: () => this.#send(),
    });
  }

  start(): void {
    this.#work.start();
  }

  close(): Promise<void> {
    return this.#work.close();
  }

  /** Must be called with each change that this process publishes. */
  note(change: StreamChange): void {
    const { isFolder, isWhole } = this.#parts.holding;
    if (!isFolder || !isWhole || !relayed.has(change.type)) return;
    const whole = JSON.stringify(change);
    // Pages read all groups again if there are no ids.
    const json =
      change.type === 'nacks' && whole.length > maxNoticeBytes / 2
        ? JSON.stringify({ ...change, ids: [] })
        : whole;
    if (Buffer.byteLength(json) < maxNoticeBytes && this.#waiting.length < mostWaiting)
      this.#waiting.push(json);
  }

  /** Must be called with the position of each notice about the fleet. */
  receive(json: string): void {
    if (this.#parts.holding.isWhole) return;
    for (const change of JSON.parse(json) as StreamChange[]) this.#parts.publish(change);
  }

  /** Must be called each second while notices do not arrive: pages then read again what may have changed. */
  assumeAny(): void {
    if (this.#parts.holding.isWhole) return;
    this.#parts.publish({ type: 'issues' });
    this.#parts.publish({ type: 'nacks', ids: [] });
  }

  async #send(): Promise<void> {
    const { database } = this.#parts;
    const waiting = new Set(this.#waiting);
    this.#waiting = [];
    let [part, bytes] = [[] as string[], 0];
    const parts = [part];
    for (const json of waiting) {
      bytes += Buffer.byteLength(json) + 1;
      if (bytes >= maxNoticeBytes) {
        [part, bytes] = [[], Buffer.byteLength(json)];
        parts.push(part);
      }
      part.push(json);
    }
    if (waiting.size === 0) return;
    await database.db.transaction().execute(async (trx) => {
      for (const each of parts) await notify(trx, database, 'fleet', `[${each.join(',')}]`);
    });
  }
}
