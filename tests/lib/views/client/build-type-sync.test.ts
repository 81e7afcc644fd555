import { expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { ClientConfigChanged, NodeInfo, Vantage } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import { CDS, LDS } from '@/lib/xds/resource-type';

const fuller: NodeInfo = {
  id: 'sidecar~10.1.2.3~cart.shop~shop.svc.cluster.local',
  cluster: 'cart',
  locality: { region: 'eu', zone: 'eu-1', subZone: '' },
  userAgentName: 'envoy',
  userAgentVersion: '1.30.1',
  clientFeatures: [],
  metadata: { NAMESPACE: 'shop', LABELS: { app: 'cart' } },
};
const thinner: NodeInfo = {
  ...fuller,
  ...{
    cluster: '',
    locality: null,
    userAgentName: '',
    userAgentVersion: '',
    metadata: { NAMESPACE: 'shop' },
  },
};

function row(typeUrl: string, more: Partial<ResourceState> = {}): ResourceState {
  return {
    ...{
      typeUrl,
      name: '',
      versionInfo: '',
      clientStatus: 'UNKNOWN',
      configStatus: 'SYNCED',
      lastUpdated: 1,
    },
    ...{ errorState: null, hash: null, sizeBytes: null, isStatic: false, changedAt: 1 },
    ...more,
  };
}

function reportedBy(
  vantage: Vantage,
  sourceId: string,
  node: NodeInfo,
  changed: readonly ResourceState[],
  side: ClientConfigChanged['side'] = 'control-plane',
): ClientConfigChanged {
  return {
    ...{
      kind: 'client-config-changed',
      at: 1,
      vantage,
      sourceId,
      clientId: 'c',
      side,
      node,
      scope: '',
    },
    ...{ changed, removed: [] },
  };
}

function detailOf(observations: readonly ClientConfigChanged[]) {
  const world: World = new Map();
  for (const [index, observation] of observations.entries()) {
    foldObservation(world, { ...observation, seq: index + 1 });
  }
  const client = world.get('c');
  if (client === undefined) throw new Error('no client');
  return buildClientDetail(client, () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }));
}

it('reports the books of each istiod by type, and nothing of resources', () => {
  const rejected = { details: 'no such policy', versionInfo: '', lastUpdateAttempt: null, failedHash: null };
  const nonces = { sent: 'n2', acked: 'n1' };
  const { sync } = detailOf([
    reportedBy('istiod', 'b', thinner, [
      row(CDS.typeUrl, { configStatus: 'ERROR', errorState: rejected, nonces }),
      row(LDS.typeUrl, { lastUpdated: null, configStatus: 'NOT_SENT' }),
      row(CDS.typeUrl, { name: 'orders', configStatus: 'UNKNOWN', hash: 'a'.repeat(64) }),
    ]),
    reportedBy('istiod', 'a', thinner, [row(LDS.typeUrl)]),
    reportedBy('csds', 'c', thinner, [row(CDS.typeUrl, { name: 'orders' })]),
  ]);
  expect(sync).toMatchObject([
    { sourceId: 'a', types: [{ service: 'LDS', configStatus: 'SYNCED', error: '' }] },
    {
      sourceId: 'b',
      types: [
        { service: 'LDS', configStatus: 'NOT_SENT', lastUpdated: undefined },
        { service: 'CDS', configStatus: 'ERROR', error: 'no such policy', nonces },
      ],
    },
  ]);
});

it('keeps the more complete node, whichever source reports last, and removes what its source withdraws', () => {
  const admin = (node: NodeInfo) => reportedBy('envoy-admin', 'admin', node, [], 'client');
  const istiod = reportedBy('istiod', 'a', thinner, []);
  expect(detailOf([admin(fuller), istiod]).node).toEqual(fuller);
  expect(detailOf([istiod, admin(fuller)]).node).toEqual(fuller);
  expect(detailOf([admin(fuller), istiod, admin(thinner)]).node).toEqual(thinner);
  const other = { ...thinner, metadata: { NAMESPACE: 'elsewhere' } };
  expect(detailOf([admin(fuller), reportedBy('csds', 'b', other, [], 'client')]).node).toEqual(other);
});

it('treats an Envoy that CSDS and its admin interface report as one client, with the more complete report', () => {
  const csds = (hash: string) =>
    reportedBy('csds', 'a', fuller, [row(CDS.typeUrl, { name: 'orders', hash })], 'client');
  const admin = reportedBy(
    'envoy-admin',
    'admin',
    fuller,
    [row(CDS.typeUrl, { name: 'orders', hash: 'b' }), row(LDS.typeUrl, { name: 'http', hash: 'c' })],
    'client',
  );
  for (const observations of [
    [csds('a'), admin],
    [admin, csds('a')],
  ]) {
    expect(detailOf(observations)).toMatchObject({ duplicateNodeId: false, resources: 2 });
  }
  const twin = reportedBy('csds', 'b', fuller, [row(CDS.typeUrl, { name: 'orders', hash: 'z' })], 'client');
  expect(detailOf([csds('a'), twin]).duplicateNodeId).toBe(true);
});
