import type { Problem, Recorded } from '../observation/observation';
import type { EpochMs } from '../xds/units';
import { patienceMs } from './issue-at';

export interface SourceOutage {
  readonly sourceId: string;
  readonly from: EpochMs;
  /** null: it has not ended. */
  readonly to: EpochMs | null;
  /** The newest one. */
  readonly problem: Problem;
}

const outagesKept = 2_000;

/** The times in which sources did not answer, folded from the log. MUTABLE. */
export class SourceOutages {
  readonly #open = new Map<string, SourceOutage>();
  /** Oldest first. */
  readonly #ended: SourceOutage[] = [];

  /** Returns whether the observation changed an outage. */
  fold(observation: Recorded): boolean {
    const { kind, sourceId, at } = observation;
    const known = this.#open.get(sourceId);
    if (kind === 'source-down') {
      const { problem } = observation;
      this.#open.set(sourceId, { sourceId, from: known?.from ?? at, to: null, problem });
      return true;
    }
    if (kind !== 'source-up' || known === undefined) return false;
    this.#open.delete(sourceId);
    this.#ended.push({ ...known, to: at });
    if (this.#ended.length > outagesKept) this.#ended.shift();
    return true;
  }

  /** Returns the outage of each source at a moment, or the last one before it. One missed poll is not an outage. */
  listAt(at: EpochMs): SourceOutage[] {
    const last = new Map<string, SourceOutage>();
    for (const outage of [...this.#ended, ...this.#open.values()]) {
      if (Math.min(outage.to ?? at, at) - outage.from < patienceMs) continue;
      last.set(outage.sourceId, outage.to !== null && outage.to > at ? { ...outage, to: null } : outage);
    }
    return [...last.values()];
  }
}
