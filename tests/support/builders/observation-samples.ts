import type { Connection } from '@/lib/observation/connection';
import type { ClientConfigChanged, NodeInfo, Observation, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS } from '@/lib/xds/resource-type';

export function sampleNode(id: string): NodeInfo {
  return {
    id,
    cluster: 'shop',
    locality: { region: 'eu', zone: 'eu-1', subZone: 'a' },
    userAgentName: 'gRPC Node',
    userAgentVersion: '1.14.1',
    clientFeatures: [],
    metadata: {},
  };
}

/** An ACKED cluster with `overrides`. */
export function sampleResource(overrides: Partial<ResourceState> = {}): ResourceState {
  return {
    typeUrl: CDS.typeUrl,
    name: 'cart',
    versionInfo: '1',
    clientStatus: 'ACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: 1_000,
    errorState: null,
    hash: 'aa',
    sizeBytes: 10,
    isStatic: false,
    changedAt: 1_000,
    ...overrides,
  };
}

/** A subchannel that is READY. */
export const sampleConnection: Connection = {
  id: 'subchannel 1',
  kind: 'subchannel',
  target: '10.0.0.1:80',
  channels: ['channel 1'],
  state: 'READY',
  since: 1_000,
};

export function sampleReport(overrides: Partial<ClientConfigChanged> = {}): ClientConfigChanged {
  return {
    kind: 'client-config-changed',
    at: 2_000,
    vantage: 'csds',
    sourceId: 'csds:a:1',
    clientId: 'c1',
    side: 'client',
    node: sampleNode('web'),
    scope: '',
    changed: [],
    removed: [],
    ...overrides,
  };
}

/** Observations in the order of the log. */
export function numbered(observations: readonly Observation[]): Recorded[] {
  return observations.map((observation, index) => ({ ...observation, seq: index + 1 }));
}
