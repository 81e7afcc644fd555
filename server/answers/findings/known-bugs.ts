import { findBugsOf, findKnownBugs, findUnused, type UnusedResource } from '@/lib/known-bugs/find-known-bugs';
import type { Evidence } from '@/lib/known-bugs/symptom';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { KnownBugNotice } from '@/lib/views/findings/schema';
import { CDS, EDS, formatResourceType, LDS, RDS } from '@/lib/xds/resource-type';
import type { HistoryFilter } from '../../store/history-query';
import { flushLog } from '../../store/recorder/flush-log';
import type { Recorder } from '../../store/recorder/recorder';
import type { ClientSubject } from '../subjects/client-subjects';

/** The newest observations of a client, from which symptoms are read. */
const mostObservations = 2_000;
const mostResources = 20;

/** Known bugs that the client shows. A permalink stores no observations. */
export async function findKnownBugsOf(
  { client, rows, moment, isStored }: Pick<ClientSubject, 'client' | 'rows' | 'moment' | 'isStored'>,
  recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>,
  links: Pick<Evidence, 'findRoutes' | 'findReached' | 'readUse'>,
  signal?: AbortSignal,
): Promise<KnownBugNotice[]> {
  const kinds = [...new Set(findBugsOf(client.node).flatMap(({ history }) => history))];
  const isRead = kinds.length > 0 && !isStored;
  const history = isRead ? await readNewest(client.id, { kinds }, moment?.seq, recorder, signal) : [];
  const notices = await findKnownBugs(client.node, {
    rows,
    history,
    ...links,
    findLastSeen: lastSeenIn(client),
  });
  return notices.map(({ since, resources, ...notice }) => ({
    ...notice,
    since,
    total: resources.length,
    resources: resources.slice(0, mostResources).map(({ typeUrl, name }) => ({
      ...{ typeUrl, name, service: formatResourceType(typeUrl) },
    })),
  }));
}

/**
 * The listeners that the client has ACKed, and does not use, or may not use yet, because of a known bug. A permalink stores no observations.
 */
export async function findUnusedListeners(
  { client, rows, moment, isStored }: Pick<ClientSubject, 'client' | 'rows' | 'moment' | 'isStored'>,
  recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>,
  links: Pick<Evidence, 'findRoutes' | 'findReached' | 'readUse'>,
  signal?: AbortSignal,
): Promise<UnusedResource[]> {
  const bugs = bugsOfListeners(client);
  if (bugs.length === 0 || isStored) return [];
  const kinds = [...new Set(bugs.flatMap(({ history }) => history))];
  const isOfClusters = bugs.some(({ whyEarlier }) => whyEarlier !== undefined);
  const types = isOfClusters ? [LDS, RDS, CDS, EDS] : [LDS, RDS];
  const about = { kinds, typeUrls: types.map(({ typeUrl }) => typeUrl) };
  const history = await readNewest(client.id, about, moment?.seq, recorder, signal);
  return findUnused(client.node, { rows, history, ...links, findLastSeen: lastSeenIn(client) });
}

/** Known bugs because of which clients of this version do not use, or may not use yet, what they have ACKed. */
export function bugsOfListeners({ node }: Pick<ClientSubject['client'], 'node'>) {
  return findBugsOf(node).filter(({ whyUnused, whyEarlier }) => whyUnused ?? whyEarlier);
}

function lastSeenIn({ reports }: ClientSubject['client']): Evidence['findLastSeen'] {
  return (sourceId) => reports.find((report) => report.sourceId === sourceId)?.lastSeenAt ?? null;
}

/** Returns these observations, oldest first, up to a moment of the past. */
async function readNewest(
  clientId: string,
  about: Pick<HistoryFilter, 'kinds' | 'typeUrls'>,
  lastSeq: number | undefined,
  recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>,
  signal: AbortSignal | undefined,
): Promise<Recorded[]> {
  await flushLog(recorder);
  const before = lastSeq === undefined ? {} : { beforeSeq: lastSeq + 1 };
  const query = { clientId, ...about, limit: mostObservations, order: 'desc', ...before } as const;
  const found = await recorder.readHistory(query, signal);
  return found.map(({ seq, json }) => ({ ...(JSON.parse(json) as Observation), seq })).reverse();
}
