import type { LoadReported, NodeInfo, Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { Emission } from '@/server/observe';
import { clusterLoad, loadReported, localityLoad } from './builders/load-samples';
import { bodyOf, clusterType, emissionOf, nodeOf, resourceOf } from './builders/recorder-emissions';
import { streamStory } from './log-story';

/** The input of the golden files: every kind of observation, and every structure that the recorder stores. */
export const begin = Date.UTC(2026, 0, 1);

const node: NodeInfo = {
  ...nodeOf('ads-client'),
  locality: { region: 'eu', zone: 'eu-1', subZone: 'rack-1' },
  clientFeatures: ['envoy.lb.does_not_support_overprovisioning'],
  metadata: { mesh: 'shop', weights: [1, 2.5, -3], nested: { 'é "quoted"': null, on: true } },
};

/** Observations for one block: clients behind a tap with an ACK and a NACK each, and a polled client. */
export function manyStreams(): Emission[] {
  const body = bodyOf('cluster cart, version 1');
  const streams = Array.from({ length: 40 }, (_, index) =>
    streamStory(begin + 1_000 * index, `web-${index % 4}`, `stream-${index}`),
  ).flat();
  const tapped = streams.map((observation): Emission => {
    if (observation.kind !== 'response-received') return { observation, bodies: [] };
    const resources = [{ name: 'cart', hash: body.hash, sizeBytes: body.bytes.length }];
    return { observation: { ...observation, resources }, bodies: [body] };
  });
  const polled = Array.from({ length: 200 }, (_, index) =>
    emissionOf(
      begin + 45_000 + 10 * index,
      `cluster of poll ${index % 25}`,
      'polled',
      `cluster-${index % 7}`,
    ),
  );
  return [...tapped, ...polled];
}

/** One observation of each kind that the streams lack, with the optional fields. */
export function everyOtherKind(): Emission[] {
  const body = bodyOf('endpoints of cart', EDS.typeUrl);
  const base = { at: begin + 60_000, vantage: 'probe', sourceId: 'ads:xds:18000' } as const;
  const client = { ...base, clientId: 'ads-client' };
  const stream = { ...client, streamId: 'ads-stream' };
  const full: ResourceState = {
    ...resourceOf('cart', { typeUrl: EDS.typeUrl, hash: body.hash, sizeBytes: body.bytes.length }),
    ...{ lastUpdated: begin + 59_000, changedAt: begin + 60_000, canonicalName: 'cart-1', stage: 'warming' },
    ambientError: { code: 'UNAVAILABLE', details: 'no answer', since: begin + 59_500 },
    unanswered: { versionInfo: 'v8', at: begin + 59_000, hash: body.hash },
    nonces: { sent: 'n2', acked: 'n1' },
    otherVersions: [
      { stage: 'active', versionInfo: '0', lastUpdated: null, hash: body.hash, sizeBytes: body.bytes.length },
    ],
  };
  const observations: Observation[] = [
    {
      ...{ ...base, kind: 'source-declared' },
      source: { kind: 'ads', target: 'xds:18000', server: 'xds:18000', transport: 'delta-ads' },
    },
    { ...base, kind: 'source-up' },
    { ...base, kind: 'source-up', vantage: 'istiod', sourceId: 'istiod:xds:15012' },
    { ...base, kind: 'source-up', vantage: 'envoy-admin', sourceId: 'envoy-admin:10.0.0.9:9901' },
    { ...base, kind: 'source-down', problem: { code: 'UNAVAILABLE', message: 'no route', hint: '' } },
    {
      ...{ ...stream, kind: 'stream-opened', server: 'xds:18000', method: 'delta-ads', node },
      ...{ scope: '#server', cacheEmpty: true, peer: '127.0.0.1:43210' },
    },
    {
      ...{ ...stream, kind: 'response-received', typeUrl: EDS.typeUrl, versionInfo: 'v9', nonce: 'n9' },
      ...{ sizeBytes: 4_096, resources: [], unchangedResources: 3, names: ['a', 'b'], removedNames: ['c'] },
      ...{ tookMs: 12.345, controlPlane: 'istiod', repeats: 7 },
    },
    { ...client, kind: 'cache-changed', reason: 'read from a file', changed: [full], removed: [] },
    {
      ...{ ...stream, kind: 'timer-expired', timer: 'ttl' },
      ...{ changed: [], removed: [{ typeUrl: CDS.typeUrl, name: 'old' }] },
    },
    {
      ...{ ...stream, kind: 'copies-dropped', messages: 2, bytes: 9_000, from: begin + 59_000 },
      reason: 'recording fell behind',
    },
    {
      ...{ ...client, kind: 'server-switched', authority: null, from: 'a:1', to: 'b:1' },
      ...{ direction: 'fallback', reason: 'unreachable', node },
    },
    {
      ...{ ...client, kind: 'client-gone', side: 'client', reason: 'not reported any more' },
      previousAt: begin + 55_000,
    },
    {
      ...{ ...base, vantage: 'lab', sourceId: 'lab', kind: 'lab-event' },
      ...{ what: 'backend-stopped', subject: 'cart-1', text: 'a lone surrogate: \ud800' },
    },
    loads()[0] ?? loadReported(begin, []),
  ];
  return observations.map((observation, index) => ({ observation, bodies: index === 4 ? [body] : [] }));
}

/** A client with enough rows and changes for stored snapshots. */
export function largeClient(): { readonly rows: Emission; readonly changes: readonly Emission[] } {
  const report = (at: number, changed: readonly ResourceState[]): Emission => {
    const { observation } = emissionOf(at, null, 'large');
    return { observation: { ...observation, changed } as Observation, bodies: [] };
  };
  const row = (index: number, versionInfo: string, changedAt: number) =>
    resourceOf(`large-${index}`, { typeUrl: clusterType, versionInfo, changedAt });
  return {
    rows: report(
      begin + 70_000,
      Array.from({ length: 1_100 }, (_, index) => row(index, `v${index % 3}`, begin + 70_000)),
    ),
    changes: Array.from({ length: 6 }, (_, turn) => {
      const at = begin + 71_000 + turn;
      return report(
        at,
        Array.from({ length: 180 }, (_, index) => row(index, `w${turn}`, at)),
      );
    }),
  };
}

/** Two clients' reports of three minutes of one hour, and of a minute three hours later. */
export function loads(): LoadReported[] {
  const minutes = [0, 10, 20, 70, 130, 3 * 3_600];
  return minutes.flatMap((second) =>
    ['web-0', 'web-1'].map((clientId, place) =>
      loadReported(
        begin + 1_000 * second + place,
        [
          clusterLoad(
            [
              localityLoad('eu-1', {
                ...{ successful: String(1_000 + second), errors: '3', issued: '18446744073709551615' },
                metrics: [{ name: 'queue', count: '2', sum: 0.1 + place }],
                endpoints: [
                  { address: '10.0.0.1:80', successful: '9', errors: '1', issued: null, inProgress: '4' },
                ],
              }),
              localityLoad('eu-2', { successful: '5', priority: 1, newConnections: '2' }),
            ],
            { totalDropped: '4', dropped: [{ category: 'lb', count: '4' }] },
          ),
        ],
        { clientId, streamId: `load-${clientId}` },
      ),
    ),
  );
}
