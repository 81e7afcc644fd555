import {
  type FailingLoads,
  findFailing,
  findFailingTargets,
  isNoFailing,
  noFailing,
} from '@/lib/facts/failing-endpoints';
import type { MeasuredRequests } from '@/lib/facts/measured-requests';
import type { Evidence } from '@/lib/known-bugs/symptom';
import { resourceKey } from '@/lib/observation/client-state';
import type { Connection } from '@/lib/observation/connection';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { profileOfClient } from '@/lib/resolve/client-profile';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import { addFiguresOfPoll } from '@/lib/views/connections/connection-figures';
import type { Profile } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { findUnavailable } from '../live/issues/find-unavailable';
import type { MeasuredRequestsReader } from '../live/issues/measured-requests';
import type { Recorder } from '../store/recorder/recorder';
import { findUnusedListeners } from './findings/known-bugs';
import type { GraphBuilder } from './graph/graph-builder';
import type { ClientDefaults } from './resolved/resolved-query';
import type { ClientSubject } from './subjects/client-subjects';

export interface DefaultsParts {
  readonly graphs: Pick<GraphBuilder, 'ask'>;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>;
  readonly measuredRequests: Pick<MeasuredRequestsReader, 'find' | 'findBreakers' | 'findStandstill'>;
}

/** The client of a question about its effective config. */
export async function findDefaults(
  subject: ClientSubject,
  { graphs, recorder, measuredRequests }: DefaultsParts,
  signal?: AbortSignal,
): Promise<ClientDefaults> {
  const { client, reported, source, connections, moment, isStored } = subject;
  // What a source that is no longer live reported is not known to hold now. A file is shown as it was captured.
  const isKnown = connections?.freshness === 'live' || moment !== undefined || isImportedClient(client);
  const known = isKnown ? connections : undefined;
  const found = known?.connections.map(addFiguresOfPoll(known.figures)) ?? [];
  const all = await findLoads(subject, measuredRequests, signal);
  // The counters of the hosts of an Envoy are newer than its load reports, and distinguish hosts.
  const reportsHosts = found.some(({ kind }) => kind === 'host');
  const loads = reportsHosts ? new Map([...all].filter(([, { isUnanswered }]) => isUnanswered)) : all;
  const isNow = moment === undefined && !isStored;
  const isCounted = isNow && known !== undefined;
  const breakers = isCounted ? measuredRequests.findBreakers(client.id) : noFailing.breakers;
  const standstill = isCounted ? measuredRequests.findStandstill(client.id) : undefined;
  const failing = findFailing(found, { loads, breakers, standstill });
  const failingTargets = findFailingTargets(found);
  const unused = await findUnusedListeners(
    subject,
    recorder,
    linksOf(source, graphs, profileOfClient(client), signal),
    signal,
  );
  return {
    ...{ ...client, reported, unused },
    ...(!isNoFailing(failing) && { failing }),
    ...(failingTargets.size > 0 && { failingTargets }),
    ...(known === undefined ? { lacksConnections: true as const } : { connected: findConnected(found) }),
  };
}

/** The endpoints of which each connection is established. */
function findConnected(connections: readonly Connection[]): ReadonlySet<string> {
  const ofEndpoints = connections.filter(({ kind }) => kind === 'subchannel');
  const others = new Set(ofEndpoints.filter(({ state }) => state !== 'READY').map(({ target }) => target));
  return new Set(ofEndpoints.map(({ target }) => target).filter((target) => !others.has(target)));
}

/** The requests of the client in the last minutes, by cluster; undefined if they are not available. */
export async function findMeasured(
  { client, moment, isStored }: Pick<ClientSubject, 'client' | 'moment' | 'isStored'>,
  measuredRequests: DefaultsParts['measuredRequests'],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, MeasuredRequests> | undefined> {
  // A past moment and a permalink have no measurement of their own.
  if (moment !== undefined || isStored) return undefined;
  return measuredRequests.find(client.id, signal).catch((error: unknown) => {
    if (findUnavailable(error) === undefined) throw error;
    return undefined;
  });
}

async function findLoads(...question: Parameters<typeof findMeasured>): Promise<FailingLoads> {
  const measured = await findMeasured(...question);
  return new Map(
    [...(measured ?? [])].flatMap(([cluster, { failing }]) =>
      failing === undefined ? [] : [[cluster, failing]],
    ),
  );
}

/** Finds what a listener leads to by the references between the resources of the client. */
export function linksOf(
  source: ClientSubject['source'],
  graphs: DefaultsParts['graphs'],
  profile: Profile,
  signal?: AbortSignal,
): Pick<Evidence, 'findRoutes' | 'findReached' | 'readUse'> {
  const findUses = async (typeUrl: string, name: string) =>
    (await graphs.ask('links', source, { typeUrl, name }, signal)).uses;
  return {
    readUse: () => graphs.ask('use', source, profile, signal),
    findRoutes: async (listener) => {
      const uses = await findUses(LDS.typeUrl, listener);
      return uses.flatMap(({ typeUrl, name }) => (typeUrl === RDS.typeUrl ? [name] : []));
    },
    findReached: async (routes) => {
      const reached = new Map<string, ResourceKey>();
      const pending = routes.map((name): ResourceKey => ({ typeUrl: RDS.typeUrl, name }));
      for (const { typeUrl, name } of pending) {
        for (const used of await findUses(typeUrl, name)) {
          const isOfTraffic = used.typeUrl === CDS.typeUrl || used.typeUrl === EDS.typeUrl;
          if (!isOfTraffic || reached.has(resourceKey(used))) continue;
          reached.set(resourceKey(used), used);
          pending.push(used);
        }
      }
      return [...reached.values()];
    },
  };
}
