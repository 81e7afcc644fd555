import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/observation';
import { SharedStrings } from '../../source-threads/shared-strings';
import { addHashes } from '../bodies/named-hashes';
import type { CheckpointChunk } from './checkpoint';

type ClientFields = Omit<ClientState, 'reports'>;
type ReportFields = Omit<ClientReport, 'resources'>;

/** A ClientState that no longer changes: own lists, shared (immutable) resources. */
export interface ClientSnapshot {
  readonly client: ClientFields;
  readonly reports: readonly {
    /** Its key in ClientState.reports. */
    readonly key: string;
    readonly report: ReportFields;
    readonly resources: readonly ResourceState[];
  }[];
}

/** What one chunk's JSON holds: the client, and some resources of one of its reports. */
interface ChunkContent {
  readonly client: ClientFields;
  readonly part: {
    readonly key: string;
    readonly report: ReportFields;
    readonly resources: ResourceState[];
  } | null;
}

/** One chunk is parsed and written in one go; 500 resources are some 200 kB. */
const resourcesPerChunk = 500;

/** Cheap enough for the event loop: it copies references, a million of them in some 20 ms. */
export function snapshotClients(clients: Iterable<ClientState>): ClientSnapshot[] {
  return Array.from(clients, ({ reports, ...client }) => ({
    client,
    reports: Array.from(reports, ([key, { resources, ...report }]) => ({
      key,
      report,
      resources: [...resources.values()],
    })),
  }));
}

/** The snapshot in pieces, each made when it is asked for. */
export function* chunksOf(snapshots: readonly ClientSnapshot[]): Generator<CheckpointChunk> {
  for (const { client, reports } of snapshots) {
    if (reports.length === 0) yield chunk({ client, part: null });
    for (const { key, report, resources } of reports) {
      for (let from = 0; from === 0 || from < resources.length; from += resourcesPerChunk) {
        yield chunk({
          client,
          part: { key, report, resources: resources.slice(from, from + resourcesPerChunk) },
        });
      }
    }
  }
}

function chunk(content: ChunkContent): CheckpointChunk {
  const hashes = new Set<string>();
  if (content.part) addHashes(hashes, content.part.resources);
  return { clientId: content.client.clientId, json: JSON.stringify(content), hashes: [...hashes] };
}

/**
 * Puts one chunk back; `clients` grows by it. Chunks come in the order in which they were made. Texts that many rows have
 * in common are one string each, by `strings`.
 */
export function restoreChunk(
  clients: Map<string, ClientState>,
  json: string,
  strings = new SharedStrings(),
): void {
  const { client, part } = JSON.parse(json) as ChunkContent;
  let state = clients.get(client.clientId);
  if (!state) {
    state = { ...client, reports: new Map() };
    clients.set(client.clientId, state);
  }
  if (!part) return;
  let report = state.reports.get(part.key);
  if (!report) {
    report = { ...part.report, resources: new Map() };
    state.reports.set(part.key, report);
  }
  for (const resource of part.resources) {
    const shared = {
      ...resource,
      typeUrl: strings.share(resource.typeUrl),
      name: strings.share(resource.name),
      versionInfo: strings.share(resource.versionInfo),
      hash: resource.hash === null ? null : strings.share(resource.hash),
    };
    report.resources.set(strings.share(resourceKey(shared)), shared);
  }
}
