import { createHash } from 'node:crypto';
import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { NodeInfo } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { Body, Emission } from '@/server/observe';

export const clusterType = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';

export function bodyOf(content: string | Uint8Array, typeUrl = clusterType): Body {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { hash: createHash('sha256').update(bytes).digest('hex'), typeUrl, bytes };
}

export function nodeOf(id: string): NodeInfo {
  return {
    id,
    cluster: 'shop',
    locality: null,
    userAgentName: 'test',
    userAgentVersion: '1',
    clientFeatures: [],
    metadata: {},
  };
}

export function resourceOf(name: string, more: Partial<ResourceState> = {}): ResourceState {
  return {
    typeUrl: clusterType,
    name,
    versionInfo: '1',
    clientStatus: 'ACKED',
    configStatus: 'SYNCED',
    lastUpdated: null,
    errorState: null,
    hash: null,
    sizeBytes: null,
    isStatic: false,
    changedAt: 0,
    ...more,
  };
}

/** A client reports that `name` became `content`; without content it reports no body. */
export function emissionOf(
  at: number,
  content: string | null,
  clientId = 'client-a',
  name = 'cluster-1',
): Emission {
  const body = content === null ? null : bodyOf(content);
  return {
    observation: {
      kind: 'client-config-changed',
      at,
      vantage: 'csds',
      sourceId: 'csds:127.0.0.1:1',
      clientId,
      side: 'client',
      node: nodeOf(clientId),
      scope: '',
      changed: [resourceOf(name, { hash: body?.hash ?? null, sizeBytes: body?.bytes.byteLength ?? null })],
      removed: [],
    },
    bodies: body ? [body] : [],
  };
}

export function clientStateOf(
  clientId: string,
  seq: number,
  resources: readonly ResourceState[],
): ClientState {
  const report: ClientReport = {
    sourceId: 'csds:127.0.0.1:1',
    vantage: 'csds',
    side: 'client',
    firstSeenAt: 1,
    lastChangedAt: 2,
    goneAt: null,
    goneReason: '',
    resources: new Map(resources.map((resource) => [resourceKey(resource), resource])),
  };
  return {
    clientId,
    node: nodeOf(clientId),
    nodeSourceId: report.sourceId,
    scope: '',
    reports: new Map([[report.sourceId, report]]),
    seq,
  };
}
