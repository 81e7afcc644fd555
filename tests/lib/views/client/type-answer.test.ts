import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { buildClientSummary } from '@/lib/views/client/build-client-summary';
import { buildResourceRows, resourceRowFinder } from '@/lib/views/client/build-resource-rows';
import { CDS, EDS, LDS, SDS } from '@/lib/xds/resource-type';
import type { ConfigStatus } from '@/lib/xds/status';
import { numbered, sampleReport, sampleResource } from '../../../support/builders/observation-samples';

const live = () => ({ freshness: 'live' as const, reason: '' });
const admin = { vantage: 'envoy-admin', sourceId: 'envoy-admin:a' } as const;
const tap = { vantage: 'tap', sourceId: 'tap:a' } as const;
const istiod = { vantage: 'istiod', sourceId: 'istiod:a', side: 'control-plane' } as const;

/** Envoy with Istio: its resources have no version of their own. */
const inDump = sampleResource({ stage: 'active', versionInfo: '', changedAt: 1_500 });

/** The row with which istiod reports a whole type. */
function wholeType(configStatus: ConfigStatus, text = '', typeUrl: string = CDS.typeUrl): ResourceState {
  const errorState =
    text === '' ? null : { details: text, versionInfo: '', lastUpdateAttempt: null, failedHash: null };
  return sampleResource({
    ...{ typeUrl, name: '', versionInfo: '', clientStatus: 'UNKNOWN', configStatus },
    ...{ hash: null, sizeBytes: null, errorState },
  });
}

function clientOf(...observations: Observation[]) {
  const world: World = new Map();
  for (const observation of numbered(observations)) foldObservation(world, observation);
  const client = world.get('c1');
  if (client === undefined) throw new Error('no client');
  return client;
}

const rowsOf = (...observations: Observation[]) =>
  runSteps(buildResourceRows(clientOf(...observations), live));
const report = (changed: ResourceState[]) => sampleReport({ ...admin, changed });
const reportOfIstiod = (changed: ResourceState[]) => sampleReport({ ...istiod, changed });

describe('what istiod reports of a whole type', () => {
  it('is a fact about the type and no resource, also beside a resource without a name', () => {
    const unnamed = { ...inDump, typeUrl: LDS.typeUrl, name: '' };
    const observations = [
      report([inDump, unnamed]),
      reportOfIstiod([
        wholeType('SYNCED'),
        wholeType('STALE', '', LDS.typeUrl),
        wholeType('NOT_SENT', '', EDS.typeUrl),
      ]),
    ];
    const client = clientOf(...observations);
    const rows = runSteps(buildResourceRows(client, live));
    expect(
      rows.map(({ service, name, side, controlPlane }) => ({ service, name, side, controlPlane })),
    ).toEqual([
      { service: 'LDS', name: '', side: 'client', controlPlane: null },
      { service: 'CDS', name: 'cart', side: 'client', controlPlane: null },
    ]);
    expect(resourceRowFinder(client, live)({ typeUrl: EDS.typeUrl, name: '' })).toBeUndefined();
    const summary = buildClientSummary(client, live);
    expect(summary).toMatchObject({ resources: 2, trouble: 1, troubleSince: 1_000 });
    expect(summary.types.map(({ service, total, sync }) => ({ service, total, sync }))).toEqual([
      { service: 'LDS', total: 1, sync: 'STALE' },
      { service: 'CDS', total: 1, sync: 'SYNCED' },
      { service: 'EDS', total: 0, sync: 'NOT_SENT' },
    ]);
  });

  it('is one issue with the rejected resource that Envoy reports', () => {
    const rejected = { details: 'no', versionInfo: '', lastUpdateAttempt: null, failedHash: null };
    const text = 'Error adding/updating cluster(s) cart: no';
    const summaryOf = (own: ResourceState) =>
      buildClientSummary(clientOf(report([own]), reportOfIstiod([wholeType('ERROR', text)])), live);
    expect(summaryOf({ ...inDump, clientStatus: 'NACKED', errorState: rejected })).toMatchObject({
      trouble: 1,
    });
    const other = { ...inDump, name: 'pay' };
    expect(summaryOf(other)).toMatchObject({ trouble: 1, troubleText: expect.stringContaining('cart: no') });
  });
});

describe('the answer that istiod reports of a whole type', () => {
  const answeredBy = (status: string) => ({ status, sourceId: 'istiod:a', at: null });
  const rejectedText =
    'Error adding/updating cluster(s) cart: ring hash: minimum_ring_size (1024) > maximum_ring_size (16)';

  it.each<[what: string, own: ResourceState, type: ResourceState, state: string, status: string | null]>([
    ['SYNCED: each resource is ACKED', inDump, wholeType('SYNCED'), 'ACKED', 'ACKED'],
    [
      'STALE: which resources were in the newest response is not known',
      inDump,
      wholeType('STALE'),
      'ACTIVE',
      null,
    ],
    [
      'ERROR: the resources that the text names are NACKED',
      inDump,
      wholeType('ERROR', rejectedText),
      'NACKED',
      'NACKED',
    ],
    [
      'ERROR: other clusters of the response are applied',
      { ...inDump, name: 'pay' },
      wholeType('ERROR', rejectedText),
      'ACKED',
      'ACKED',
    ],
    [
      'ERROR: of a response that is rejected as a whole, it is not known which resources were in it',
      inDump,
      wholeType('ERROR', 'Proto constraint validation failed (ClusterValidationError.Name: value length)'),
      'ACTIVE',
      null,
    ],
    [
      'a cluster that warms is ACKED, and WARMING',
      { ...inDump, stage: 'warming' },
      wholeType('SYNCED'),
      'WARMING',
      'ACKED',
    ],
    [
      'static resources are in no response',
      { ...inDump, isStatic: true },
      wholeType('SYNCED'),
      'ACTIVE',
      null,
    ],
    [
      'certificates come from pilot-agent',
      { ...inDump, typeUrl: SDS.typeUrl },
      wholeType('SYNCED', '', SDS.typeUrl),
      'ACTIVE',
      null,
    ],
    ['another type', inDump, wholeType('SYNCED', '', EDS.typeUrl), 'ACTIVE', null],
  ])('%s', (_, own, type, state, status) => {
    const [row] = rowsOf(report([own]), reportOfIstiod([type]));
    expect(row).toMatchObject({ state, answer: status && answeredBy(status) });
    const configStatuses = { ACKED: 'SYNCED', NACKED: 'ERROR', none: 'UNKNOWN' };
    expect(row?.configStatus).toBe(Reflect.get(configStatuses, status ?? 'none'));
    expect(row?.effect).toMatchObject({ sourceId: 'envoy-admin:a', evidence: 'config_dump' });
  });

  it('does not replace the answer that a tap recorded', () => {
    const nacked = { details: 'no', versionInfo: '', lastUpdateAttempt: 4, failedHash: 'ff' };
    const recorded = sampleResource({ clientStatus: 'NACKED', versionInfo: '', errorState: nacked });
    const [row] = rowsOf(
      report([inDump]),
      sampleReport({ ...tap, changed: [recorded] }),
      reportOfIstiod([wholeType('SYNCED')]),
    );
    const answer = { status: 'NACKED', sourceId: 'tap:a' };
    expect(row).toMatchObject({ state: 'NACKED', answer, configStatus: 'SYNCED' });
  });

  it('holds after istiod has gone, until the resource changes', () => {
    const end: Observation = {
      ...{ kind: 'client-gone', at: 3_000, ...istiod, clientId: 'c1', reason: 'gone' },
    };
    const observations = [report([inDump]), reportOfIstiod([wholeType('SYNCED')]), end];
    expect(rowsOf(...observations)).toMatchObject([{ state: 'ACKED' }]);
    const changed = report([{ ...inDump, hash: 'other', changedAt: 4_000 }]);
    expect(rowsOf(...observations, changed)).toMatchObject([{ state: 'ACTIVE', answer: null }]);
  });
});
