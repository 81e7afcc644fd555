import { LRUCache } from 'lru-cache';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { findChangedRows } from '../rows/changed-rows';
import type { Asked } from './graph-model-builder';
import type { RunGraphJob } from './run-graph-job';

export interface GraphRowsOptions {
  /** Here, or in a worker that may have lost everything since. */
  readonly run: RunGraphJob;
  readonly listsKept: number;
}

/** Rows that cross to the worker at a time: some 5 ms each. */
const rowsPerPart = 1_000;

/** Brings the lists of a GraphModelBuilder up to date with what changed of the rows. */
export class GraphRows {
  private readonly reported: LRUCache<
    string,
    { readonly version: number; readonly rows: readonly ResourceRow[] }
  >;
  private newestVersion = 0;

  constructor(private readonly options: GraphRowsOptions) {
    this.reported = new LRUCache({ max: options.listsKept });
  }

  /**
   * Asks about these rows, and brings them first. One question at a time for each list: who calls sees to it. Rejects
   * when the builder fails; the next question begins anew.
   */
  async ask<T>(
    list: string,
    rows: readonly ResourceRow[],
    question: (run: RunGraphJob, version: number) => Promise<Asked<T>>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    for (let tries = 0; tries < 2; tries++) {
      const version = await this.bring(list, rows, signal);
      const asked = await question(this.options.run, version);
      if (asked.kind === 'answer') return asked.answer;
      this.reported.delete(list);
    }
    throw new Error(`the rows of "${list}" are not there, though they were just brought`);
  }

  /** The version under which the builder has these rows. */
  private async bring(
    list: string,
    rows: readonly ResourceRow[],
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const known = this.reported.get(list);
    if (known?.rows === rows) return known.version;
    this.reported.delete(list);
    const version = ++this.newestVersion;
    const isTaken =
      (known !== undefined && (await this.post(list, known, version, rows, signal))) ||
      (await this.post(list, undefined, version, rows, signal));
    if (!isTaken) throw new Error(`the rows of "${list}" were not taken, begun with nothing`);
    this.reported.set(list, { version, rows });
    return version;
  }

  /** false: the builder does not have what `known` says. */
  private async post(
    list: string,
    known: { readonly version: number; readonly rows: readonly ResourceRow[] } | undefined,
    version: number,
    rows: readonly ResourceRow[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { changed, removed } =
      known === undefined ? { changed: rows, removed: [] } : findChangedRows(known.rows, rows);
    const base = known?.version ?? null;
    for (let part = 0; ; part++) {
      const next = (part + 1) * rowsPerPart;
      const isLast = next >= changed.length;
      const slice = changed.slice(part * rowsPerPart, next);
      const change = {
        list,
        base,
        version,
        part,
        isLast,
        changed: slice,
        removed: part === 0 ? removed : [],
      };
      const taken = await this.options.run('rows', change, signal);
      if (taken === 'unknown') return false;
      if (isLast) return true;
    }
  }
}
