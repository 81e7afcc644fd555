import type { ApiNotice } from '@/lib/api/findings';
import { formatIsoTime } from '@/lib/format/iso-time';
import { findBugsOf, findNotices } from '@/lib/notices/find-notices';
import type { Evidence } from '@/lib/notices/symptom';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { formatResourceType } from '@/lib/xds/resource-type';
import { flushLog } from '../../recorder/flush-log';
import type { Recorder } from '../../recorder/recorder';
import type { ClientSubject } from '../../subjects/client-subjects';

/** The newest observations of a client, from which symptoms are read. */
const mostObservations = 2_000;
const mostResources = 20;

/** Known bugs that the client shows. A permalink stores no observations. */
export async function findNoticesOf(
  { client, rows, moment, isStored }: Pick<ClientSubject, 'client' | 'rows' | 'moment' | 'isStored'>,
  recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>,
  findRoutes: Evidence['findRoutes'],
  signal?: AbortSignal,
): Promise<ApiNotice[]> {
  const kinds = [...new Set(findBugsOf(client.node).flatMap(({ history }) => history))];
  const isRead = kinds.length > 0 && !isStored;
  const history = isRead ? await readNewest(client.id, kinds, moment?.seq, recorder, signal) : [];
  const notices = await findNotices(client.node, { rows, history, findRoutes });
  return notices.map(({ since, resources, ...notice }) => ({
    ...notice,
    since: formatIsoTime(since),
    total: resources.length,
    resources: resources.slice(0, mostResources).map(({ typeUrl, name }) => ({
      ...{ typeUrl, name, service: formatResourceType(typeUrl) },
    })),
  }));
}

/** Returns the observations of these kinds, oldest first, up to a moment of the past. */
async function readNewest(
  clientId: string,
  kinds: readonly Observation['kind'][],
  lastSeq: number | undefined,
  recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>,
  signal: AbortSignal | undefined,
): Promise<Recorded[]> {
  await flushLog(recorder);
  const before = lastSeq === undefined ? {} : { beforeSeq: lastSeq + 1 };
  const query = { clientId, kinds, limit: mostObservations, order: 'desc', ...before } as const;
  const found = await recorder.readHistory(query, signal);
  return found.map(({ seq, json }) => ({ ...(JSON.parse(json) as Observation), seq })).reverse();
}
