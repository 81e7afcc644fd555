import type { LoadTable } from '@/lib/views/load/load-table';
import type { LoadAnswered } from '@/lib/views/load/schema';
import type { LoadQuestions } from '@/lib/views/questions';
import { notFound } from '../api-error';
import type { LiveState } from '../live/live-state';
import type { LoadReader } from '../live/load/load-reader';
import type { Clock } from '../observe';
import type { Answers } from './ask';
import type { ClientHistoryAnswers } from './client-history-answers';
import { LoadApi } from './load/load-api';
import type { FindTime } from './load/load-query';
import { findLoadSplit, type LoadSplitParts } from './load/load-split';
import { PermalinkLoadsApi } from './permalinks/permalink-loads-api';
import type { PermalinksApi } from './permalinks/permalinks-api';
import { type FailoverApi, missingSubject } from './simulate-failover';
import { newestMomentOf } from './subjects/newest-moment';

interface LoadAnswersParts {
  readonly clock: Clock;
  readonly live: LiveState;
  readonly load: LoadTable;
  readonly loads: LoadReader;
  readonly permalinks: PermalinksApi;
  readonly failover: FailoverApi;
  readonly history: Pick<ClientHistoryAnswers, 'splitEpochs'>;
  readonly findTime: FindTime;
}

export function createLoadAnswers({
  clock,
  live,
  load,
  loads,
  permalinks,
  failover,
  history,
  findTime,
}: LoadAnswersParts): Pick<Answers, keyof LoadQuestions> {
  const nodeIdOf = (clientId: string) => live.world.get(clientId)?.node.id;
  const nowOf = newestMomentOf(clock, (id) => live.world.get(id));
  const reported = new LoadApi({
    ...{ loads, nowOf, findTime, nodeIdOf },
    notices: () => load.notices,
    localityOf: (clientId) => live.world.get(clientId)?.node.locality ?? null,
  });
  const stored = new PermalinkLoadsApi({ permalinks, failover });
  return {
    load: (query) => load.rows((clientId) => nodeIdOf(clientId) ?? clientId, query),
    'load/totals': async (query, { signal }) =>
      asAnswer(await reported.totals(query, signal), 'load-totals.csv'),
    'load/series': async (query, { signal }) =>
      asAnswer(await reported.series(query, signal), 'load-series.csv'),
    async 'load/split'(query, { signal }) {
      const { client, cluster, by } = query;
      const findEpochs: LoadSplitParts['findEpochs'] = async ({ rules, to }) =>
        (await history.splitEpochs(client, { cluster, by, rules, to }, signal)) ?? missingClient(client);
      return findLoadSplit({ loads, nowOf, findTime, findEpochs }, query, signal);
    },
    'permalinks/{id}/load/series': async (query, { params: { id } }) =>
      asAnswer((await stored.series(id, query)) ?? missingLoad(id), 'load-series.csv'),
    'permalinks/{id}/load/split': async (query, { params: { id } }) =>
      (await stored.split(id, query)) ?? missingLoad(id),
  };
}

function missingClient(clientId: string): never {
  throw missingSubject({ clientId });
}

function missingLoad(id: string): never {
  throw notFound('Permalink with load', `no permalink with load has the id ${JSON.stringify(id)}`);
}

/** Answers in JSON or as a file of comma-separated values. */
function asAnswer<T>(answered: LoadAnswered<T>, fileName: string): T | Response {
  if ('json' in answered) return answered.json;
  return new Response(answered.csv, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
    },
  });
}
