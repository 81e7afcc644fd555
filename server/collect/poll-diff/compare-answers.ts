import { findTypeVersion } from '@/lib/observation/acked-version';
import { resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ClientConfigChanged, ClientGone, Side, Vantage } from '@/lib/observation/observation';
import { isSameState } from '@/lib/observation/reconcile';
import type { ResourceKey, ResourceState, TypeVersion } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import type { ReportedClient } from '../../codec/codec';
import { assignClientIds } from './assign-client-ids';
import type { KnownClient, KnownClients } from './known-clients';

export interface CompareOptions {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly at: EpochMs;
  /** The time when the previous answer was requested. Absent: there was none. */
  readonly previousAt?: EpochMs;
  /** The side that the source's answers come from: a client or a control plane. 'auto' derives it from the statuses. */
  readonly side: Side | 'auto';
  /** Limit of the clients of one answer: known ones first, then others in the order of the answer. Absent: no limit. */
  readonly maxClients?: number | undefined;
}

interface Comparison {
  readonly observations: readonly (ClientConfigChanged | ClientGone)[];
  readonly next: KnownClients;
  /** Ids of the compared clients. */
  readonly clientIds: readonly string[];
  /** Number of clients beyond the limit. */
  readonly notAdmitted: number;
  /** Node ids that several ClientConfigs of the answer share, scope included. */
  readonly duplicates: readonly string[];
}

/**
 * Compares one answer with what was known: pure. Only differences are reported. A new client is reported even without
 * resources.
 */
export function compareAnswers(
  previous: KnownClients,
  reported: readonly ReportedClient[],
  options: CompareOptions,
): Comparison {
  const { clients: all, duplicates } = assignClientIds(reported, previous);
  const clients = admit(all, previous, options.maxClients ?? Number.POSITIVE_INFINITY);
  const observations: (ClientConfigChanged | ClientGone)[] = [];
  // Ends come first, because new clients may take the places of those that ended.
  for (const [clientId, { side }] of previous) {
    if (!clients.has(clientId)) observations.push(goneObservation(clientId, side, options));
  }
  const next = new Map<string, KnownClient>();
  for (const [clientId, client] of clients) {
    const { now, observation } = compareClient(clientId, client, previous.get(clientId), options);
    next.set(clientId, now);
    if (observation !== undefined) observations.push(observation);
  }
  return {
    ...{ observations, next, duplicates },
    clientIds: [...clients.keys()],
    notAdmitted: all.size - clients.size,
  };
}

/** The known clients, then others in the order of the answer, up to the limit. */
function admit(
  all: ReadonlyMap<string, ReportedClient>,
  previous: KnownClients,
  maxClients: number,
): ReadonlyMap<string, ReportedClient> {
  if (all.size <= maxClients) return all;
  const admitted = new Map([...all].filter(([clientId]) => previous.has(clientId)).slice(0, maxClients));
  for (const [clientId, client] of all) {
    if (admitted.size >= maxClients) break;
    admitted.set(clientId, client);
  }
  return admitted;
}

/** Compares one client: rows that are no longer reported are removed. */
export function compareClient(
  clientId: string,
  { node, scope, resources, typeVersions = [] }: ReportedClient,
  known: KnownClient | undefined,
  { sourceId, vantage, at, previousAt, side: asked }: CompareOptions,
): { now: KnownClient; observation: ClientConfigChanged | undefined } {
  const side = asked === 'auto' ? (sideOf(resources) ?? known?.side ?? 'client') : asked;
  // A report of the other side is another report, of which nothing was known.
  const before = known?.side === side ? known.rows : new Map<string, ResourceState>();
  const rows = new Map<string, ResourceState>();
  const changed: ResourceState[] = [];
  for (const resource of resources) {
    const key = resourceKey(resource);
    const old = before.get(key);
    const row: ResourceState = { ...resource, changedAt: at };
    if (old !== undefined && isSameState(row, old)) {
      rows.set(key, old);
    } else {
      rows.set(key, row);
      changed.push(row);
    }
  }
  const removed: ResourceKey[] = [];
  for (const [key, { typeUrl, name }] of before) {
    if (!rows.has(key)) removed.push({ typeUrl, name });
  }
  // Sorted, independent of the order in which the rows were reported first.
  removed.sort(compareResourceKeys);
  const otherVersions = changedVersions(known?.side === side ? known.typeVersions : [], typeVersions);
  const now = { node, scope, side, rows, ...(typeVersions.length > 0 && { typeVersions }) };
  const isNews =
    known === undefined ||
    known.side !== side ||
    changed.length > 0 ||
    removed.length > 0 ||
    otherVersions.length > 0 ||
    JSON.stringify(known.node) !== JSON.stringify(node);
  if (!isNews) return { now, observation: undefined };
  const wasReported = known !== undefined && known.side === side;
  const observation: ClientConfigChanged = {
    kind: 'client-config-changed',
    at,
    vantage,
    sourceId,
    clientId,
    side,
    node,
    scope,
    changed,
    removed,
    ...(otherVersions.length > 0 && { typeVersions: otherVersions }),
    ...(wasReported && previousAt !== undefined && { previousAt }),
  };
  return { now, observation };
}

/** An empty version states that the type has none any longer. */
function changedVersions(
  before: readonly TypeVersion[] = [],
  now: readonly TypeVersion[],
): readonly TypeVersion[] {
  const ended = before.filter(({ typeUrl }) => findTypeVersion(now, typeUrl) === undefined);
  return [
    ...now.filter(({ typeUrl, versionInfo }) => findTypeVersion(before, typeUrl) !== versionInfo),
    ...ended.map(({ typeUrl }) => ({ typeUrl, versionInfo: '' })),
  ];
}

/**
 * A client sets client_status, a control plane config_status (the proto: "one of the two"). Rows with neither do not
 * show the side.
 */
export function sideOf(resources: ReportedClient['resources']): Side | undefined {
  let side: Side | undefined;
  for (const { clientStatus, configStatus } of resources) {
    if (clientStatus !== 'UNKNOWN') return 'client';
    if (configStatus !== 'UNKNOWN') side = 'control-plane';
  }
  return side;
}

function goneObservation(
  clientId: string,
  side: Side,
  { sourceId, vantage, at, previousAt }: CompareOptions,
): ClientGone {
  return {
    kind: 'client-gone',
    at,
    vantage,
    sourceId,
    clientId,
    side,
    reason: 'the source answers, but names this client no longer',
    ...(previousAt !== undefined && { previousAt }),
  };
}
