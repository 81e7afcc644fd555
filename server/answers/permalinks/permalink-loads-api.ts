import type { PermalinkLoadSeriesQuery, PermalinkLoadSplitQuery } from '@/lib/views/load/query';
import type { LoadAnswered, LoadSeriesAnswer, LoadSplit } from '@/lib/views/load/schema';
import type { EpochMs } from '@/lib/xds/units';
import { LoadApi } from '../load/load-api';
import { epochOfSnapshot, findLoadSplit, findRowChange } from '../load/load-split';
import type { FailoverApi } from '../simulate-failover';
import type { KeptLoad, PermalinksApi } from './permalinks-api';

interface PermalinkLoadsOptions {
  readonly permalinks: Pick<PermalinksApi, 'findLoad'>;
  readonly failover: Pick<FailoverApi, 'simulateNow'>;
}

export class PermalinkLoadsApi {
  readonly #options: PermalinkLoadsOptions;

  constructor(options: PermalinkLoadsOptions) {
    this.#options = options;
  }

  async series(
    id: string,
    query: PermalinkLoadSeriesQuery,
  ): Promise<LoadAnswered<LoadSeriesAnswer> | undefined> {
    const kept = await this.#options.permalinks.findLoad(id);
    if (kept === undefined) return undefined;
    const { clientId, nodeId } = kept;
    const api = new LoadApi({
      ...partsOf(kept),
      nodeIdOf: (requested) => (requested === clientId ? nodeId : undefined),
      localityOf: () => null,
    });
    return api.series({ ...wholeOf(kept), ...query });
  }

  async split(id: string, query: PermalinkLoadSplitQuery): Promise<LoadSplit | undefined> {
    const kept = await this.#options.permalinks.findLoad(id);
    if (kept === undefined) return undefined;
    const { clientId, rows } = kept;
    return findLoadSplit(
      {
        ...partsOf(kept),
        findEpochs: async ({ rules, names }) =>
          epochOfSnapshot(
            await this.#options.failover.simulateNow({ permalink: id }, query.cluster),
            rules,
            findRowChange(rows, names),
          ),
      },
      { ...wholeOf(kept), ...query, client: clientId, by: 'locality' },
    );
  }
}

/** The end of the stored load takes the place of the current time. */
function partsOf({ span, read }: KeptLoad) {
  return {
    nowOf: () => span.to - 1,
    loads: {
      read: async (question: Parameters<typeof read>[0]) => read(question),
      stats: { reports: 0, missed: 0, leftOut: 0, problem: '', damage: '' },
    },
    findTime: async () => span.to - 1,
  };
}

/** The stored time range is the default. */
function wholeOf({ span }: KeptLoad): { readonly from: EpochMs; readonly to: EpochMs } {
  return { from: span.from, to: span.to };
}
