import type { StreamNotice } from '@/lib/views/stream/schema';
import type { FleetHolding } from '../live/held-clients';
import type { Clock } from '../observe';
import { notify } from '../store/notify';
import type { StoreDatabase } from '../store/schema';
import { RepeatedWork } from './repeated-work';

interface FleetChangesParts {
  readonly clock: Clock;
  readonly database: StoreDatabase;
  readonly holding: FleetHolding;
  readonly publish: (notice: StreamNotice) => void;
}

const sendEveryMs = 100;
/** What only the process that holds all clients knows. */
const relayed: ReadonlySet<StreamNotice> = new Set(['fleet/events', 'nacks', 'issues', 'load'] as const);

/** Passes changes of the fleet on to the pages of other processes, as notices. */
export class FleetChanges {
  readonly #parts: FleetChangesParts;
  readonly #work: RepeatedWork;
  readonly #waiting = new Set<StreamNotice>();

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

  /** Must be called with each notice that this process publishes. */
  note(notice: StreamNotice): void {
    const { isFolder, isWhole } = this.#parts.holding;
    if (isFolder && isWhole && relayed.has(notice)) this.#waiting.add(notice);
  }

  /** Must be called with the position of each notice about the fleet. */
  receive(json: string): void {
    if (this.#parts.holding.isWhole) return;
    for (const notice of JSON.parse(json) as StreamNotice[]) this.#parts.publish(notice);
  }

  /** Must be called each second while notices do not arrive: pages then read again what may have changed. */
  assumeAny(): void {
    if (!this.#parts.holding.isWhole) for (const notice of relayed) this.#parts.publish(notice);
  }

  async #send(): Promise<void> {
    const { database } = this.#parts;
    const json = JSON.stringify([...this.#waiting]);
    if (this.#waiting.size === 0) return;
    this.#waiting.clear();
    await database.db.transaction().execute((trx) => notify(trx, database, 'fleet', json));
  }
}
