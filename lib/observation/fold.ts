import { by, inTurn } from '../collections/compare';
import { loadReportMethod } from '../xds/load-report-method';
import { mergeTypeVersions } from './acked-version';
import { type ClientReport, type ClientState, resourceKey } from './client-state';
import { boundClock } from './clock-bounds';
import { applyConnectionChanges } from './connection';
import type { NodeInfo, Recorded, Side } from './observation';
import { followStreams } from './open-ads-streams';
import type { ResourceChanges } from './resource-state';
import { addCounts, addServer } from './test-client';

/** All clients' states: the fold of the whole log. */
export type World = Map<string, ClientState>;

/** The changes that one observation made, so that pages need not compare states. */
export interface FoldEffect {
  readonly clientId: string | null;
  /** Rows that changed; empty if none did. */
  readonly changes: ResourceChanges;
}

const noChanges: ResourceChanges = { changed: [], removed: [] };
/** The number of ended reports that are kept for one client, whose sources may change as long as it lives. */
export const endedReportsKept = 32;

/**
 * Folds one observation in. MUTATES `world`. The same function makes "now" (fold to the newest), a moment in the
 * past (fold to T) and what a restart finds (checkpoint + tail).
 */
export function foldObservation(world: World, observation: Recorded): FoldEffect {
  switch (observation.kind) {
    case 'client-config-changed': {
      const client = clientOf(world, observation, observation.node, observation.scope);
      const report = reportOf(client, observation, observation.side);
      const clock = boundClock(report.clock, observation);
      if (clock !== undefined) report.clock = clock;
      return applyChanges(client, report, observation);
    }
    case 'stream-opened': {
      const client = clientOf(world, observation, observation.node, observation.scope);
      const report = reportOf(client, observation, 'client');
      noteStream(report, observation);
      if (observation.cacheEmpty !== true) return { clientId: client.clientId, changes: noChanges };
      const removed = [...report.resources.values()].map(({ typeUrl, name }) => ({ typeUrl, name }));
      delete report.typeVersions;
      return applyChanges(client, report, { ...observation, changed: [], removed });
    }
    case 'request-sent':
    case 'ack-sent':
    case 'nack-sent':
    case 'timer-expired':
    case 'cache-changed': {
      const client = world.get(observation.clientId);
      const report = client?.reports.get(observation.sourceId);
      if (client === undefined || report === undefined) return { clientId: null, changes: noChanges };
      noteStream(report, observation);
      return applyChanges(client, report, observation);
    }
    case 'response-received':
    case 'copies-dropped':
    case 'interop-step':
    case 'server-switched': {
      const client = world.get(observation.clientId);
      if (client !== undefined) client.seq = observation.seq;
      return { clientId: client?.clientId ?? null, changes: noChanges };
    }
    case 'load-reported': {
      // A load report proves that the client runs, and contains nothing about its config.
      const client = clientOf(world, observation, observation.node, observation.scope);
      reportOf(client, observation, 'client');
      return { clientId: client.clientId, changes: noChanges };
    }
    case 'connections-changed': {
      const client = clientOf(world, observation, observation.node, observation.scope);
      const report = reportOf(client, observation, 'client');
      report.connections = applyConnectionChanges(report.connections ?? [], observation);
      return { clientId: client.clientId, changes: noChanges };
    }
    case 'rpcs-counted': {
      const client = clientOf(world, observation, observation.node, observation.scope);
      const report = reportOf(client, observation, 'client');
      report.testClient = addCounts(report.testClient, observation);
      return { clientId: client.clientId, changes: noChanges };
    }
    case 'rpc-block-counted': {
      const client = clientOf(world, observation, observation.node, observation.scope);
      const report = reportOf(client, observation, 'client');
      const { at, requested, timeoutMs, tookMs, failed, peers, methods } = observation;
      const block = { at, requested, timeoutMs, tookMs, failed, peers, methods };
      report.testClient = { ...report.testClient, block };
      return { clientId: client.clientId, changes: noChanges };
    }
    case 'test-client-configured': {
      const client = clientOf(world, observation, observation.node, observation.scope);
      const report = reportOf(client, observation, 'client');
      const { at, types, metadata, timeoutMs } = observation;
      const configuration = { at, types, metadata, ...(timeoutMs !== undefined && { timeoutMs }) };
      report.testClient = { ...report.testClient, configuration };
      return { clientId: client.clientId, changes: noChanges };
    }
    case 'test-server-set': {
      const client = clientOf(world, observation, observation.node, observation.scope);
      const report = reportOf(client, observation, 'client');
      report.testClient = addServer(report.testClient, observation);
      return { clientId: client.clientId, changes: noChanges };
    }
    case 'client-gone':
    case 'stream-closed': {
      const client = world.get(observation.clientId);
      const report = client?.reports.get(observation.sourceId);
      if (client === undefined || report === undefined) return { clientId: null, changes: noChanges };
      client.seq = observation.seq;
      noteStream(report, observation);
      // A client with several streams (one for each type or server) ends with the last of them.
      if (observation.kind === 'stream-closed' && (observation.othersOpen ?? 0) > 0) {
        return { clientId: client.clientId, changes: noChanges };
      }
      report.goneAt = observation.at;
      if (observation.kind === 'client-gone' && observation.previousAt !== undefined) {
        report.lastNamedAt = observation.previousAt;
      }
      report.goneReason =
        observation.kind === 'client-gone'
          ? observation.reason
          : `the stream ended: ${observation.code}${observation.details === '' ? '' : `: ${observation.details}`}`;
      return { clientId: client.clientId, changes: noChanges };
    }
    case 'source-declared':
    case 'source-up':
    case 'source-down':
    case 'lab-event':
      return { clientId: null, changes: noChanges };
  }
}

/** MUTATES `report`. */
function noteStream(report: ClientReport, observation: Recorded): void {
  const streams = followStreams(report.streams, observation);
  if (streams === report.streams) return;
  if (streams === undefined || streams.length === 0) delete report.streams;
  else report.streams = streams;
}

function clientOf(
  world: World,
  observation: Recorded & { readonly clientId: string },
  node: NodeInfo,
  scope: string,
): ClientState {
  const known = world.get(observation.clientId);
  if (known !== undefined) {
    takeNode(known, observation, node);
    // Streams report no targets.
    const reportsTargets =
      observation.kind === 'client-config-changed' ||
      observation.kind === 'connections-changed' ||
      observation.kind === 'rpcs-counted';
    if (reportsTargets && scope !== '') known.scope = scope;
    known.seq = observation.seq;
    return known;
  }
  const created: ClientState = {
    clientId: observation.clientId,
    node,
    nodeSourceId: observation.sourceId,
    scope,
    reports: new Map(),
    seq: observation.seq,
  };
  world.set(created.clientId, created);
  return created;
}

function isOfLoad(observation: Recorded): boolean {
  if (observation.kind === 'stream-opened') return observation.method === loadReportMethod;
  return observation.kind === 'load-reported';
}

/**
 * Several sources report one client, each with a part of its node: the most complete node is kept, and that of the
 * client rather than that of a control plane, which can have another id for it. MUTATES `client`.
 */
function takeNode(client: ClientState, observation: Recorded, node: NodeInfo): void {
  const { sourceId } = observation;
  if (isOfLoad(observation)) return;
  if (sourceId !== client.nodeSourceId) {
    if (isPartOfNode(node, client.node)) return;
    const isOfControlPlane =
      observation.kind === 'client-config-changed' && observation.side === 'control-plane';
    const isOfClient = client.reports.get(client.nodeSourceId)?.side === 'client';
    if (isOfControlPlane && (isOfClient || countFields(node) < countFields(client.node))) return;
  }
  client.node = node;
  client.nodeSourceId = sourceId;
}

/** The source's report on the client, created or continued after its end. MUTATES `client`. */
function reportOf(client: ClientState, observation: Recorded, side: Side): ClientReport {
  const known = client.reports.get(observation.sourceId);
  if (known !== undefined && known.side === side) {
    if (known.goneAt !== null || observation.kind === 'stream-opened') known.hasReturned = true;
    known.goneAt = null;
    known.goneReason = '';
    known.lastChangedAt = observation.at;
    return known;
  }
  const created: ClientReport = {
    sourceId: observation.sourceId,
    vantage: observation.vantage,
    ...(observation.originalVantage !== undefined && { originalVantage: observation.originalVantage }),
    side,
    firstSeenAt: observation.at,
    lastChangedAt: observation.at,
    goneAt: null,
    goneReason: '',
    resources: new Map(),
  };
  client.reports.set(created.sourceId, created);
  dropEndedReports(client);
  return created;
}

/** Removes the reports that ended first. MUTATES `client`. */
function dropEndedReports({ reports }: ClientState): void {
  if (reports.size <= endedReportsKept) return;
  const ended = [...reports.values()].filter(({ goneAt }) => goneAt !== null);
  ended.sort(
    inTurn(
      by((each) => each.goneAt ?? 0),
      by(({ sourceId }) => sourceId),
    ),
  );
  for (const { sourceId } of ended.slice(0, Math.max(0, ended.length - endedReportsKept)))
    reports.delete(sourceId);
}

function applyChanges(
  client: ClientState,
  report: ClientReport,
  {
    changed,
    removed,
    typeVersions,
    at,
    seq,
  }: ResourceChanges & { readonly at: number; readonly seq: number },
): FoldEffect {
  client.seq = seq;
  if (changed.length > 0 || removed.length > 0 || typeVersions !== undefined) report.lastChangedAt = at;
  for (const resource of changed) report.resources.set(resourceKey(resource), resource);
  for (const key of removed) report.resources.delete(resourceKey(key));
  if (typeVersions === undefined) return { clientId: client.clientId, changes: { changed, removed } };
  report.typeVersions = mergeTypeVersions(report.typeVersions, typeVersions);
  return { clientId: client.clientId, changes: { changed, removed, typeVersions } };
}

/**
 * Returns true if `whole` contains everything that `node` reports. A control plane passes on a part of a client's
 * node.
 */
function isPartOfNode(node: NodeInfo, whole: NodeInfo): boolean {
  const { id, cluster, locality, userAgentName, userAgentVersion, clientFeatures, metadata } = node;
  const isReported = (part: string, text: string): boolean => part === '' || part === text;
  return (
    id === whole.id &&
    isReported(cluster, whole.cluster) &&
    isReported(userAgentName, whole.userAgentName) &&
    isReported(userAgentVersion, whole.userAgentVersion) &&
    (locality === null || isSame(locality, whole.locality)) &&
    clientFeatures.every((feature) => whole.clientFeatures.includes(feature)) &&
    Object.entries(metadata).every(([key, value]) => isSame(value, whole.metadata[key]))
  );
}

/** The number of fields of a node that are reported, metadata excepted, which control planes add to. */
function countFields({
  cluster,
  locality,
  userAgentName,
  userAgentVersion,
  clientFeatures,
}: NodeInfo): number {
  const reported = [cluster, userAgentName, userAgentVersion].filter((text) => text !== '').length;
  return reported + (locality === null ? 0 : 1) + (clientFeatures.length === 0 ? 0 : 1);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
