import { by } from '@/lib/collections/compare';
import type { Recorded } from '@/lib/observation/observation';
import { reportsResources } from '@/lib/observation/vantage';
import { inSlices } from '../../threads/in-slices';
import type { FileState } from '../xdscope-format/observation-shape';

/** Limit for one client. Beyond it, states are emitted in the order of the file. */
const maxWaitingRows = 200_000;

/**
 * Converts the initial states of a file to observations: a report of a source is emitted at the time of its last
 * change. The fold of the observations is the state, except for the begin of reports.
 */
export class ImportedStates {
  readonly #emit: (observation: Recorded) => void;

  #clientId: string | null = null;
  #waiting: Recorded[] = [];
  #rows = 0;

  constructor(emit: (observation: Recorded) => void) {
    this.#emit = emit;
  }

  async add(state: FileState): Promise<void> {
    if (state.clientId !== this.#clientId || this.#rows > maxWaitingRows) await this.flush();
    this.#clientId = state.clientId;
    this.#rows += state.rows.length;
    const { clientId, node, scope, report, rows } = state;
    const { sourceId, vantage, originalVantage, side, lastChangedAt, goneAt, goneReason, typeVersions } =
      report;
    const { connections } = report;
    const base = {
      ...{ seq: 0, clientId, sourceId, vantage, side },
      ...(originalVantage !== undefined && { originalVantage }),
    };
    const kind = 'client-config-changed';
    const changes = { changed: rows, removed: [], ...(typeVersions && { typeVersions }) };
    if (connections === undefined || reportsResources(base))
      this.#waiting.push({ ...base, kind, at: lastChangedAt, node, scope, ...changes });
    if (connections !== undefined) {
      const all = { connections, endedIds: [], isComplete: true } as const;
      this.#waiting.push({ ...base, kind: 'connections-changed', at: lastChangedAt, node, scope, ...all });
    }
    if (goneAt === null) return;
    this.#waiting.push({ ...base, kind: 'client-gone', at: goneAt, reason: goneReason });
  }

  /** Emits the states of the client in the order of time. */
  async flush(): Promise<void> {
    const reported = this.#waiting;
    this.#waiting = [];
    this.#rows = 0;
    this.#clientId = null;
    // The sort is stable, which keeps the parts of a report in order.
    await inSlices(reported.sort(by(({ at }) => at)), this.#emit, 1);
  }
}
