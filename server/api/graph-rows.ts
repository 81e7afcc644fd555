import { LRUCache } from 'lru-cache';
import type { ResourceRow } from '@/lib/api/schema';
import type { Recorder } from '../recorder/recorder';
import { findChangedRows } from './changed-rows';
import { giveBodies } from './give-bodies';
import type { BodyKey, GraphJobs } from './graph-maker';

export type RunGraphJob = <K extends keyof GraphJobs>(
  kind: K,
  input: GraphJobs[K]['input'],
) => Promise<GraphJobs[K]['output']>;

export interface GraphRowsOptions {
  /** Where the maker is: here, or in a worker that may have lost everything since. */
  readonly run: RunGraphJob;
  readonly recorder: Pick<Recorder, 'readBodies'>;
  readonly listsKept: number;
}

/** Rows that cross to the worker at a time: some 5 ms each. */
const rowsPerPart = 1_000;

/** Brings a GraphMaker's lists up to date: what changed of the rows, and the bodies that it does not know. */
export class GraphRows {
  private readonly told: LRUCache<
    string,
    { readonly version: number; readonly rows: readonly ResourceRow[] }
  >;
  private newestVersion = 0;

  constructor(private readonly options: GraphRowsOptions) {
    this.told = new LRUCache({ max: options.listsKept });
  }

  /**
   * Asks about these rows, and brings them first. One question at a time for each list: who calls sees to it. Rejects
   * when the maker fails; the next question begins anew.
   */
  async ask<T>(
    list: string,
    rows: readonly ResourceRow[],
    question: (run: RunGraphJob, version: number) => Promise<T | null>,
  ): Promise<T> {
    for (let tries = 0; tries < 2; tries++) {
      const answer = await question(this.options.run, await this.bring(list, rows));
      if (answer !== null) return answer;
      this.told.delete(list);
    }
    throw new Error(`the rows of "${list}" are not there, though they were just brought`);
  }

  /** The version under which the maker has these rows. */
  private async bring(list: string, rows: readonly ResourceRow[]): Promise<number> {
    const known = this.told.get(list);
    if (known?.rows === rows) return known.version;
    this.told.delete(list);
    const version = ++this.newestVersion;
    const missing =
      (known && (await this.tell(list, known, version, rows))) ??
      (await this.tell(list, undefined, version, rows));
    if (missing === undefined) throw new Error(`the rows of "${list}" were not taken, begun with nothing`);
    await giveBodies(this.options, list, version, missing);
    this.told.set(list, { version, rows });
    return version;
  }

  /** undefined: the maker does not have what `known` says. */
  private async tell(
    list: string,
    known: { readonly version: number; readonly rows: readonly ResourceRow[] } | undefined,
    version: number,
    rows: readonly ResourceRow[],
  ): Promise<readonly BodyKey[] | undefined> {
    const { changed, removed } = findChangedRows(known?.rows ?? [], rows);
    const base = known?.version ?? null;
    for (let part = 0; ; part++) {
      const next = (part + 1) * rowsPerPart;
      const isLast = next >= changed.length;
      const taken = await this.options.run('rows', {
        list,
        base,
        version,
        part,
        isLast,
        changed: changed.slice(part * rowsPerPart, next),
        removed: part === 0 ? removed : [],
      });
      if (taken.kind === 'unknown') return undefined;
      if (isLast) return taken.missing;
    }
  }
}
