import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import type { Connection } from '@/lib/observation/connection';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { ConnectionsChanged, Observation } from '@/lib/observation/observation';
import { buildClientSummary } from '@/lib/views/client/build-client-summary';
import { buildResourceRows, resourceRowFinder } from '@/lib/views/client/build-resource-rows';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import { countBytes } from '@/lib/views/fleet/fleet-sort';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import {
  numbered,
  sampleNode,
  sampleReport,
  sampleResource,
} from '../../../support/builders/observation-samples';

const live: FreshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 5_000 });

function clientOf(observations: readonly Observation[]) {
  const world: World = new Map();
  for (const observation of numbered(observations)) foldObservation(world, observation);
  const client = world.get('c1');
  if (client === undefined) throw new Error('no client c1');
  return client;
}

const nacked = sampleResource({
  typeUrl: LDS.typeUrl,
  name: 'api',
  clientStatus: 'NACKED',
  errorState: { details: 'no http filters', versionInfo: '7', lastUpdateAttempt: 4_000, failedHash: null },
});
const fromClient = sampleReport({
  changed: [nacked, sampleResource({ name: 'cart' }), sampleResource({ typeUrl: EDS.typeUrl, name: 'cart' })],
});
const fromControlPlane = sampleReport({
  sourceId: 'csds:cp:1',
  side: 'control-plane',
  changed: [
    sampleResource({
      name: 'cart',
      clientStatus: 'UNKNOWN',
      configStatus: 'STALE',
      versionInfo: '2',
      hash: 'bb',
    }),
    sampleResource({ name: 'only-sent', clientStatus: 'UNKNOWN', configStatus: 'SYNCED' }),
  ],
});

describe('buildResourceRows()', () => {
  it('keeps the reports of the client and of the control plane apart in one row', () => {
    const rows = runSteps(buildResourceRows(clientOf([fromClient, fromControlPlane]), live));
    expect(
      rows.map((row) => `${row.service} ${row.name} ${row.clientStatus} ${row.configStatus} ${row.side}`),
    ).toEqual([
      'LDS api NACKED UNKNOWN client',
      'CDS cart ACKED STALE client',
      'CDS only-sent UNKNOWN SYNCED control-plane',
      'EDS cart ACKED UNKNOWN client',
    ]);
    expect(rows[1]).toMatchObject({
      versionInfo: '1',
      hash: 'aa',
      controlPlane: { versionInfo: '2', hash: 'bb' },
    });
  });

  it('finds single rows that equal those of the whole list', () => {
    const client = clientOf([fromClient, fromControlPlane]);
    const find = resourceRowFinder(client, live);
    for (const row of runSteps(buildResourceRows(client, live))) expect(find(row)).toEqual(row);
    expect(find({ typeUrl: CDS.typeUrl, name: 'never' })).toBeUndefined();
  });
});

describe('buildClientSummary()', () => {
  it('reports how many resources of each type came in the v2 API, whoever reported them', () => {
    const changed = [
      sampleResource({ name: 'old', apiVersion: 'v2' }),
      sampleResource({ name: 'new' }),
      sampleResource({ typeUrl: EDS.typeUrl, name: 'new' }),
    ];
    const v2Of = (...observations: Observation[]) =>
      buildClientSummary(clientOf(observations), live).types.map(({ service, v2 }) => [service, v2]);
    const own = sampleReport({ changed });
    expect(v2Of(own)).toEqual([
      ['CDS', 1],
      ['EDS', undefined],
    ]);
    expect(v2Of(own, fromControlPlane)).toContainEqual(['CDS', 1]);
  });

  it('counts a management server that the client cannot reach as an issue, while it lasts', () => {
    const channel: Connection = {
      ...{ id: 'channel 2', kind: 'channel', target: 'dns:///xds:1', channels: [], isManagementServer: true },
      ...{ state: 'TRANSIENT_FAILURE', since: 3_000, failingSince: 3_000, lastError: 'no route to host' },
    };
    const { failingSince: _, lastError: __, ...rest } = channel;
    const changed = (at: number, each: Connection): ConnectionsChanged => ({
      ...{ kind: 'connections-changed', at, vantage: 'channelz', sourceId: 'channelz', clientId: 'c1' },
      ...{ node: sampleNode('web'), scope: '', connections: [each], endedIds: [] },
    });
    const accepted = sampleReport({ changed: [sampleResource()] });
    const failing = clientOf([accepted, changed(3_000, channel)]);
    expect(buildClientSummary(failing, live)).toMatchObject({
      ...{ trouble: 1, troubleSince: 3_000 },
      troubleText: 'unreachable: management server xds:1: no route to host',
    });
    const reached = clientOf([
      accepted,
      changed(3_000, channel),
      changed(9_000, { ...rest, state: 'READY' }),
    ]);
    expect(buildClientSummary(reached, live)).toMatchObject({ trouble: 0, troubleText: '' });
  });

  it('counts by type in the fixed order, and contains the worst reason', () => {
    const summary = buildClientSummary(clientOf([fromClient, fromControlPlane]), live);
    expect(
      summary.types.map((type) => [type.service, type.total, type.byState, type.byConfigStatus]),
    ).toEqual([
      ['LDS', 1, { NACKED: 1 }, {}],
      ['CDS', 2, { ACKED: 1 }, { STALE: 1, SYNCED: 1 }],
      ['EDS', 1, { ACKED: 1 }, {}],
    ]);
    expect(summary).toMatchObject({ worst: 'NACKED', trouble: 2, troubleText: 'LDS api: no http filters' });
  });

  it.each([
    [
      'UNKNOWN of a client that has not reached its management server',
      sampleReport({
        changed: [sampleResource({ clientStatus: 'UNKNOWN', versionInfo: '', hash: null, changedAt: 3_000 })],
      }),
      'CDS cart: UNKNOWN: the client has no response of its management server',
    ],
    ...(['ERROR', 'STALE'] as const).map(
      (configStatus) =>
        [
          `${configStatus} of a control plane for a type`,
          sampleReport({
            ...{ side: 'control-plane', vantage: 'istiod' },
            changed: [
              sampleResource({
                name: '',
                clientStatus: 'UNKNOWN',
                configStatus,
                hash: null,
                changedAt: 3_000,
              }),
            ],
          }),
          configStatus === 'ERROR'
            ? 'CDS: ERROR'
            : 'CDS: STALE: the control plane sent it, and the client has not acknowledged it',
        ] as const,
    ),
  ] as const)('counts %s as an issue, with its time', (_, report, troubleText) => {
    const summary = buildClientSummary(clientOf([report]), live);
    expect(summary).toMatchObject({ trouble: 1, troubleSince: 3_000, troubleText });
  });

  it('summarises what waits by state, with the resource that has waited longest', () => {
    const waitsFor = [{ typeUrl: EDS.typeUrl, name: 'b' }];
    const warming = { stage: 'warming', versionInfo: '7' } as const;
    const changed = [
      sampleResource({ name: 'a', ...warming, lastUpdated: 3_000 }),
      sampleResource({ name: 'b', ...warming, lastUpdated: 2_000, waitsFor }),
      sampleResource({ name: 'c', unanswered: { versionInfo: '8', at: 4_000, hash: null } }),
      sampleResource({ name: 'd' }),
    ];
    const of = { service: 'CDS', typeUrl: CDS.typeUrl };
    expect(buildClientSummary(clientOf([sampleReport({ changed })]), live).waiting).toEqual([
      { ...of, state: 'WARMING', resources: 2, name: 'b', versionInfo: '7', since: 2_000, waitsFor },
      { ...of, state: 'NO_ANSWER', resources: 1, name: 'c', versionInfo: '8', since: 4_000, waitsFor: [] },
    ]);
    expect(buildClientSummary(clientOf([fromClient]), live).waiting).toBeUndefined();
  });

  it('does not count documents that a process reports about itself', () => {
    const documents = ['envoy.admin.v3.ServerInfo', 'envoy.config.bootstrap.v3.Bootstrap'].map((message) =>
      sampleResource({ typeUrl: `type.googleapis.com/${message}`, name: '' }),
    );
    const report = sampleReport({ vantage: 'envoy-admin', changed: [sampleResource(), ...documents] });
    const summary = buildClientSummary(clientOf([report]), live);
    expect(summary.types).toHaveLength(3);
    expect([summary.resources, summary.reports[0]?.resources]).toEqual([1, 1]);
    expect(countBytes(summary)).toBe(10);
  });

  it('does not count UNKNOWN of a resource whose answer was missed', () => {
    const missed = sampleResource({ clientStatus: 'UNKNOWN', versionInfo: '4', hash: null });
    const requested = sampleResource({
      ...{ name: 'requested', clientStatus: 'UNKNOWN', versionInfo: '', hash: null, doubt: 'not-recorded' },
    });
    expect(buildClientSummary(clientOf([sampleReport({ changed: [missed, requested] })]), live).trouble).toBe(
      0,
    );
  });

  it('is as fresh as its freshest source, and contains the reason if it is not live', () => {
    const client = clientOf([fromClient, sampleReport({ sourceId: 'csds:b:2' })]);
    const stale: FreshnessOf = (report) =>
      report.sourceId === 'csds:a:1'
        ? { freshness: 'stale', reason: 'csds:a:1 is down', lastSeenAt: undefined }
        : { freshness: 'gone', reason: 'the stream ended', lastSeenAt: undefined };
    expect(buildClientSummary(client, stale)).toMatchObject({
      freshness: 'stale',
      reason: 'csds:a:1 is down',
    });
  });

  it('changes with the config, not with load reports', () => {
    const load = {
      kind: 'load-reported',
      at: 99_000,
      vantage: 'lrs',
      sourceId: 'lrs:x',
      clientId: 'c1',
      node: fromClient.node,
      scope: '',
      streamId: 's',
      clusters: [],
    } as const;
    expect(buildClientSummary(clientOf([fromClient, load]), live).lastChangedAt).toBe(2_000);
  });

  it("of a file is that of the file's resources, not of a newer load report without resources", () => {
    const inFile = { vantage: 'dump', originalVantage: 'csds', sourceId: 'one' } as const;
    const load = sampleReport({
      vantage: 'dump',
      originalVantage: 'lrs',
      sourceId: 'two',
      at: 99_000,
      changed: [],
    });
    const tapped = { vantage: 'dump', originalVantage: 'tap', sourceId: 'three', at: 98_000 } as const;
    const client = clientOf([{ ...fromClient, ...inFile }, load, sampleReport({ ...tapped, changed: [] })]);
    expect(buildClientSummary(client, live)).toMatchObject({
      resources: 3,
      lastChangedAt: 98_000,
    });
    expect(runSteps(buildResourceRows(client, live))).toHaveLength(3);
  });

  it('marks a node id that two live processes share', () => {
    const other = sampleReport({ sourceId: 'csds:b:2', changed: [sampleResource({ hash: 'different' })] });
    expect(buildClientSummary(clientOf([fromClient, other]), live).duplicateNodeId).toBe(true);
    expect(buildClientSummary(clientOf([fromClient, fromControlPlane]), live).duplicateNodeId).toBe(false);
    const trail: FreshnessOf = ({ sourceId }) =>
      sourceId === 'csds:b:2'
        ? { freshness: 'live', reason: '', lastSeenAt: 5_000 }
        : { freshness: 'stale', reason: 'not of this run', lastSeenAt: undefined };
    expect(buildClientSummary(clientOf([fromClient, other]), trail).duplicateNodeId).toBe(false);
  });
});
