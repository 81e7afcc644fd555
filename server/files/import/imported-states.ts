import type { Recorded } from '@/lib/observation/observation';
import { inSlices } from '../../threads/in-slices';
import type { FileState } from '../xdscope-format/observation-shape';

/** Of one client: a file may hold more, and then they are reported in the order of the file. */
const maxWaitingRows = 200_000;

/**
 * What clients were at the beginning of a file, as observations: what a source said last of a client is true from its
 * last change on, and is reported at that moment. The fold of them is what the file holds, but for when a report began.
 */
export class ImportedStates {
  #clientId: string | null = null;
  #waiting: Recorded[] = [];
  #rows = 0;

  constructor(private readonly emit: (observation: Recorded) => void) {}

  async add(state: FileState): Promise<void> {
    if (state.clientId !== this.#clientId || this.#rows > maxWaitingRows) await this.flush();
    this.#clientId = state.clientId;
    this.#rows += state.rows.length;
    const { clientId, node, scope, report, rows } = state;
    const { sourceId, vantage, originalVantage, side, lastChangedAt, goneAt, goneReason } = report;
    const base = {
      ...{ seq: 0, clientId, sourceId, vantage, side },
      ...(originalVantage !== undefined && { originalVantage }),
    };
    const kind = 'client-config-changed';
    this.#waiting.push({ ...base, kind, at: lastChangedAt, node, scope, changed: rows, removed: [] });
    if (goneAt === null) return;
    this.#waiting.push({ ...base, kind: 'client-gone', at: goneAt, reason: goneReason });
  }

  /** Nothing more comes of the client. */
  async flush(): Promise<void> {
    const reported = this.#waiting;
    this.#waiting = [];
    this.#rows = 0;
    this.#clientId = null;
    // Stable: parts of one report stay in their order.
    await inSlices(
      reported.sort((a, b) => a.at - b.at),
      this.emit,
      1,
    );
  }
}
