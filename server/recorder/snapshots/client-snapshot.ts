import { type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { KnownSource } from '@/lib/observation/source-directory';
import { SharedStrings } from '../../collector/shared-strings';
import { addHashes } from '../bodies/named-hashes';
import type { CheckpointChunk } from '../storage/state-stores';
import { type ClientParts, splitClient } from './client-parts';

/** A ClientState that later changes do not affect: it has lists of its own and shares only immutable resources. */
type ClientSnapshot = ClientParts<readonly ResourceState[]>;

/** JSON of a chunk of a checkpoint: the client, and some resources of one of its reports. */
interface ChunkContent {
  readonly client: ClientSnapshot['client'];
  readonly part: {
    readonly key: string;
    readonly report: ClientSnapshot['reports'][number]['report'];
    readonly resources: ResourceState[];
  } | null;
}

/** JSON of a chunk without a client. */
interface SourcesContent {
  readonly sources: readonly KnownSource[];
}

const sourcesPerChunk = 500;
/** 500 resources are some 200 kB of JSON. */
const resourcesPerChunk = 500;

/** Only references are copied: a million of them takes some 20 ms. */
export function snapshotClients(clients: Iterable<ClientState>): ClientSnapshot[] {
  return Array.from(clients, (client) => splitClient(client, (resources) => [...resources.values()]));
}

export function* chunksOf(
  snapshots: readonly ClientSnapshot[],
  sources: readonly KnownSource[] = [],
): Generator<CheckpointChunk> {
  for (let from = 0; from < sources.length; from += sourcesPerChunk) {
    const content: SourcesContent = { sources: sources.slice(from, from + sourcesPerChunk) };
    yield { clientId: '', json: JSON.stringify(content), hashes: [] };
  }
  for (const { client, reports } of snapshots) {
    if (reports.length === 0) yield chunk({ client, part: null });
    for (const { key, report, rows: resources } of reports) {
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

/** The state that chunks are restored to, which must be added in the order in which they were created. */
interface RestoredChunks {
  readonly clients: Map<string, ClientState>;
  readonly sources?: KnownSource[];
  readonly strings?: SharedStrings;
}

/** Modifies `restored`. */
export function restoreChunk(
  { clients, sources, strings = new SharedStrings() }: RestoredChunks,
  json: string,
): void {
  const content = JSON.parse(json) as ChunkContent | SourcesContent;
  if ('sources' in content) {
    sources?.push(...content.sources);
    return;
  }
  const { client, part } = content;
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
