import type { FailoverSimulation } from '@/lib/api/failover';
import type { LoadAnswered, LoadSeriesAnswer, LoadSplit } from '@/lib/api/load';
import { LoadApi } from './load-api';
import { findLoadSplit, findRowChange } from './load-split';
import type { KeptLoad, PermalinksApi } from './permalinks-api';

export interface PermalinkLoadsOptions {
  readonly permalinks: Pick<PermalinksApi, 'findLoad'>;
  readonly simulate: (input: unknown) => Promise<FailoverSimulation>;
}

/** The load that a permalink keeps, asked as that of the present is. */
export class PermalinkLoadsApi {
  constructor(private readonly options: PermalinkLoadsOptions) {}

  async series(id: string, query: unknown): Promise<LoadAnswered<LoadSeriesAnswer> | undefined> {
    const kept = await this.options.permalinks.findLoad(id);
    if (kept === undefined) return undefined;
    const { clientId, nodeId } = kept;
    const api = new LoadApi({
      ...partsOf(kept),
      nodeIdOf: (asked) => (asked === clientId ? nodeId : undefined),
      localityOf: () => null,
    });
    return api.series({ ...wholeOf(kept), ...own(query) });
  }

  async split(id: string, query: unknown): Promise<LoadSplit | undefined> {
    const kept = await this.options.permalinks.findLoad(id);
    if (kept === undefined) return undefined;
    const { clientId, rows } = kept;
    return findLoadSplit(
      {
        ...partsOf(kept),
        findChange: (names, until) => findRowChange(rows, names, until),
        simulate: (cluster) => this.options.simulate({ permalink: id, cluster, seconds: 0 }),
      },
      { ...wholeOf(kept), ...own(query), client: clientId },
    );
  }
}

/** Time stands still at the end of what is kept. */
function partsOf({ span, read }: KeptLoad) {
  return {
    nowOf: () => span.to - 1,
    loads: {
      read: async (question: Parameters<typeof read>[0]) => read(question),
      stats: { reports: 0, missed: 0, leftOut: 0, problem: '', damage: '' },
    },
    timeOf: async (moment: string) => Date.parse(moment),
  };
}

/** Unless less of it is asked for. */
function wholeOf({ span }: KeptLoad): { readonly from: string; readonly to: string } {
  return { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() };
}

function own(query: unknown): object {
  return typeof query === 'object' && query !== null ? query : {};
}
