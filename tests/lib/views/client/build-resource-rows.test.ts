import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { Vantage } from '@/lib/observation/vantage';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { resourceRow } from '@/lib/views/resources/row-schema';
import { EDS } from '@/lib/xds/resource-type';
import { numbered, sampleReport, sampleResource } from '../../../support/builders/observation-samples';

it('buildResourceRows() keeps the API version and the alias of a row', () => {
  const world: World = new Map();
  const hash = 'a'.repeat(64);
  const marked = sampleResource({
    name: 'marked',
    hash,
    apiVersion: 'v2',
    canonicalName: 'vhost/all',
    ambientError: { code: 'NOT_FOUND', details: 'gone', since: 1_000 },
  });
  const report = sampleReport({ changed: [marked, sampleResource({ name: 'plain', hash })] });
  for (const observation of numbered([report])) foldObservation(world, observation);
  const client = world.get('c1');
  if (client === undefined) throw new Error('no client');
  const live = () => ({ freshness: 'live' as const, reason: '' });
  const [first, second] = runSteps(buildResourceRows(client, live)).map((row) => resourceRow.parse(row));
  expect(first).toMatchObject({
    apiVersion: 'v2',
    canonicalName: 'vhost/all',
    ambientError: { code: 'NOT_FOUND', details: 'gone', since: 1_000 },
  });
  expect(second).not.toHaveProperty('apiVersion');
  expect(second).not.toHaveProperty('ambientError');
});

describe('buildResourceRows(), with an admin interface and a tap on one Envoy', () => {
  const live = () => ({ freshness: 'live' as const, reason: '' });
  const admin = { vantage: 'envoy-admin', sourceId: 'envoy-admin:a' } as const;
  const tap = { vantage: 'tap', sourceId: 'tap:a' } as const;
  const errorState = { details: 'no', versionInfo: 'v3', lastUpdateAttempt: 4, failedHash: 'ff' };
  const unanswered = { versionInfo: 'v3', at: 7, hash: 'ff' };

  function rowsOf(changed: ResourceState[], recorded: ResourceState[], ...after: Observation[]) {
    const world: World = new Map();
    const reports = [
      sampleReport({ ...admin, changed }),
      sampleReport({ ...tap, changed: recorded }),
      ...after,
    ];
    for (const observation of numbered(reports)) foldObservation(world, observation);
    const client = world.get('c1');
    if (client === undefined) throw new Error('no client');
    return runSteps(buildResourceRows(client, live));
  }

  const inDump = sampleResource({ stage: 'active', versionInfo: 'v2', hash: 'dump', lastUpdated: 2 });
  const notRecorded = sampleResource({ clientStatus: 'UNKNOWN', versionInfo: 'v1', doubt: 'not-recorded' });

  it.each<[what: string, own: ResourceState[], recorded: ResourceState[], row: Partial<ResourceRow>]>([
    [
      'keeps the NACK of the tap, with what the dump has in effect',
      [inDump],
      [sampleResource({ clientStatus: 'NACKED', versionInfo: 'v2', errorState })],
      {
        ...{ state: 'NACKED', clientStatus: 'NACKED', versionInfo: 'v2', hash: 'dump', errorState },
        answer: { status: 'NACKED', versionInfo: 'v3', at: 4, sourceId: 'tap:a' },
        effect: {
          ...{ stage: 'active', versionInfo: 'v2', hash: 'dump', since: 2 },
          ...{ evidence: 'config_dump', sourceId: 'envoy-admin:a' },
        },
      },
    ],
    [
      'has the endpoints that the client ACKed, not those that Envoy writes',
      [{ ...inDump, typeUrl: EDS.typeUrl, versionInfo: '', lastUpdated: null }],
      [sampleResource({ typeUrl: EDS.typeUrl, versionInfo: 'v2', hash: 'sent', lastUpdated: 3 })],
      {
        ...{ state: 'ACKED', versionInfo: 'v2', hash: 'sent' },
        effect: {
          ...{ stage: 'active', versionInfo: 'v2', hash: 'sent', since: 3 },
          ...{ evidence: 'ack', sourceId: 'tap:a' },
        },
      },
    ],
    [
      'has the endpoints that Envoy writes after a rejection, of which a part may be in effect',
      [{ ...inDump, typeUrl: EDS.typeUrl, versionInfo: '' }],
      [sampleResource({ typeUrl: EDS.typeUrl, clientStatus: 'NACKED', hash: 'sent', errorState })],
      { state: 'NACKED', hash: 'dump' },
    ],
    [
      'keeps the version that the client ACKed if the dump has none',
      [{ ...inDump, versionInfo: '' }],
      [sampleResource({ versionInfo: 'v2', lastUpdated: 3 })],
      {
        ...{ state: 'ACKED', versionInfo: 'v2' },
        answer: { status: 'ACKED', versionInfo: 'v2', at: 3, sourceId: 'tap:a' },
      },
    ],
    [
      'has a resource that is only in a rejected response',
      [],
      [sampleResource({ clientStatus: 'NACKED', versionInfo: '', hash: null, errorState })],
      { state: 'NACKED', sourceId: 'tap:a', effect: null },
    ],
    [
      'states that a response is not answered',
      [inDump],
      [sampleResource({ clientStatus: 'UNKNOWN', unanswered })],
      { state: 'NO_ANSWER', answer: { status: 'NO_ANSWER', versionInfo: 'v3', at: 7, sourceId: 'tap:a' } },
    ],
    [
      'states no answer to a resource that the tap has not recorded',
      [inDump],
      [],
      { state: 'ACTIVE', answer: null, sourceId: 'envoy-admin:a' },
    ],
    [
      'is the row of the dump if the tap has not recorded messages since',
      [inDump],
      [notRecorded],
      {
        ...{ state: 'ACTIVE', versionInfo: 'v2', answer: null, sourceId: 'envoy-admin:a' },
        effect: {
          ...{ stage: 'active', versionInfo: 'v2', hash: 'dump', since: 2 },
          ...{ evidence: 'config_dump', sourceId: 'envoy-admin:a' },
        },
      },
    ],
    [
      'states of a tap alone that what it has not recorded since is not known',
      [],
      [notRecorded],
      { state: 'UNKNOWN', answer: null, effect: null, doubt: 'not-recorded', sourceId: 'tap:a' },
    ],
    [
      'states that an accepted resource warms',
      [{ ...inDump, stage: 'warming' }],
      [sampleResource({ versionInfo: 'v2' })],
      { state: 'WARMING', answer: { status: 'ACKED', versionInfo: 'v2', at: 1_000, sourceId: 'tap:a' } },
    ],
  ])('%s', (_what, own, recorded, expected) => {
    // The second resource keeps the report of the admin interface non-empty.
    const others = sampleResource({ name: 'other', stage: 'active' });
    const rows = rowsOf([...own, others], recorded);
    expect(rows.find(({ name }) => name !== 'other')).toMatchObject(expected);
    expect(rows.find(({ name }) => name === 'other')).toMatchObject({ name: 'other', state: 'ACTIVE' });
  });

  it('knows from the dump what is in effect of a response that was rejected in part, and from a tap alone not', () => {
    const partly = { ...errorState, mayBeInEffect: true } as const;
    const rejected = sampleResource({
      clientStatus: 'NACKED',
      versionInfo: 'v2',
      hash: 'aa',
      errorState: partly,
    });
    const [alone] = rowsOf([], [rejected]);
    expect(alone).toMatchObject({ errorState: { mayBeInEffect: true }, effect: null });
    const [both] = rowsOf([inDump], [rejected]);
    expect(both).toMatchObject({ state: 'NACKED', effect: { hash: 'dump', evidence: 'config_dump' } });
    expect(both?.errorState).not.toHaveProperty('mayBeInEffect');
  });

  it('knows no effect of an ACK of the rejected payload beyond what was in effect before', () => {
    const acked = { clientStatus: 'ACKED', versionInfo: 'v4', hash: 'ff', errorState } as const;
    const before = { stage: 'active', versionInfo: 'v2', lastUpdated: 2, hash: 'aa', sizeBytes: 1 } as const;
    expect(rowsOf([], [sampleResource(acked)])[0]).toMatchObject({
      ...{ state: 'NACKED', versionInfo: '', effect: null },
    });
    expect(rowsOf([], [sampleResource({ ...acked, otherVersions: [before] })])[0]).toMatchObject({
      ...{ state: 'NACKED', versionInfo: 'v2', answer: { status: 'ACKED', versionInfo: 'v4' } },
      effect: { versionInfo: 'v2', hash: 'aa', evidence: 'ack' },
    });
    const active = sampleResource({ stage: 'active', versionInfo: 'v4', hash: 'ff', errorState: null });
    expect(rowsOf([active], [sampleResource(acked)])[0]).toMatchObject({
      ...{ state: 'ACKED', versionInfo: 'v4', errorState: null },
      effect: { versionInfo: 'v4', hash: 'ff', evidence: 'config_dump' },
    });
    const warming = { ...before, stage: 'warming', versionInfo: 'v3', hash: 'ff' } as const;
    const old = { stage: 'active', versionInfo: 'v2', hash: 'aa', errorState: null } as const;
    const inDump = sampleResource({ ...old, otherVersions: [warming] });
    expect(rowsOf([inDump], [sampleResource({ ...acked, otherVersions: [before] })])[0]).toMatchObject({
      ...{ state: 'NACKED', versionInfo: 'v2' },
      effect: { stage: 'active', versionInfo: 'v2' },
    });
  });

  it('keeps the answers of an ended stream until the admin interface reports a change', () => {
    const gone: Observation = {
      ...{ kind: 'client-gone', at: 3_000, clientId: 'c1', side: 'client', reason: 'the stream ended' },
      ...tap,
    };
    const names = ['kept', 'changed', 'removed', 'rejected'];
    const recorded = names.map((name) =>
      sampleResource({
        name,
        ...(name === 'rejected' && { clientStatus: 'NACKED', hash: null, errorState }),
      }),
    );
    const rows = rowsOf(
      [
        { ...inDump, name: 'kept' },
        { ...inDump, name: 'changed', changedAt: 4_000 },
      ],
      recorded,
      gone,
    );
    expect(rows.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'changed ACTIVE',
      'kept ACKED',
      'rejected NACKED',
    ]);
  });
});

describe('buildResourceRows(), with CSDS and a tap on one client', () => {
  const live = () => ({ freshness: 'live' as const, reason: '' });
  const unanswered = { versionInfo: 'v3', at: 7, hash: 'ff' };
  const rejected = { details: 'no', versionInfo: 'v2', lastUpdateAttempt: 4, failedHash: 'ff' };
  const tap = { vantage: 'tap', sourceId: 'tap:a' } as const;

  function rowOf(own: Partial<ResourceState>, recorded: Partial<ResourceState>, ...after: Observation[]) {
    const world: World = new Map();
    const reports = [
      sampleReport({ vantage: 'csds', sourceId: 'csds:a', changed: [sampleResource(own)] }),
      sampleReport({ ...tap, changed: [sampleResource(recorded)] }),
      ...after,
    ];
    for (const observation of numbered(reports)) foldObservation(world, observation);
    const client = world.get('c1');
    if (client === undefined) throw new Error('no client');
    return runSteps(buildResourceRows(client, live))[0];
  }

  it('states that a response is not answered, and what the client reports as in effect', () => {
    const waiting = { clientStatus: 'UNKNOWN', unanswered } as const;
    expect(rowOf({ versionInfo: 'v2' }, waiting)).toMatchObject({
      ...{ state: 'NO_ANSWER', clientStatus: 'ACKED', sourceId: 'csds:a' },
      answer: { status: 'NO_ANSWER', versionInfo: 'v3', at: 7, sourceId: 'tap:a' },
      effect: { versionInfo: 'v2', evidence: 'csds', sourceId: 'csds:a' },
    });
    expect(rowOf({ clientStatus: 'NACKED', errorState: rejected }, waiting)).toMatchObject({
      ...{ state: 'NACKED', errorState: rejected, unanswered },
    });
  });

  it('states a NACK that the client does not report, and what it runs', () => {
    const nacked = { clientStatus: 'NACKED', errorState: rejected } as const;
    expect(rowOf({ versionInfo: 'v1' }, nacked)).toMatchObject({
      ...{ state: 'NACKED', clientStatus: 'NACKED', errorState: rejected },
      answer: { status: 'NACKED', versionInfo: 'v2', sourceId: 'tap:a' },
      effect: { versionInfo: 'v1', evidence: 'csds', sourceId: 'csds:a' },
    });
    // C-core up to 1.69 reports the config of a deleted resource, which it does not run.
    expect(rowOf({ clientStatus: 'DOES_NOT_EXIST' }, nacked)).toMatchObject({
      state: 'NACKED',
      effect: null,
    });
    expect(rowOf({ versionInfo: 'v2', hash: 'ff' }, nacked)).toMatchObject({
      ...{ state: 'ACKED', answer: { status: 'ACKED', versionInfo: 'v2', sourceId: 'csds:a' } },
    });
    const error = { details: 'timeout', versionInfo: '', lastUpdateAttempt: null, failedHash: null };
    expect(rowOf({ clientStatus: 'TIMEOUT', errorState: error }, nacked)).toMatchObject({ state: 'TIMEOUT' });
  });

  it('has nothing of a tap whose stream has ended', () => {
    const gone: Observation = {
      ...{ kind: 'client-gone', at: 3_000, clientId: 'c1', side: 'client', reason: 'the stream ended' },
      ...tap,
    };
    expect(rowOf({}, { clientStatus: 'UNKNOWN', unanswered }, gone)).toMatchObject({ state: 'ACKED' });
  });
});

describe('what is in effect', () => {
  const live = () => ({ freshness: 'live' as const, reason: '' });
  const errorState = { details: 'gone', versionInfo: '', lastUpdateAttempt: null, failedHash: null };

  it.each<[what: string, vantage: Vantage, state: Partial<ResourceState>, expected: object | null]>([
    ['an ACK by CSDS', 'csds', {}, { stage: 'active', evidence: 'csds', versionInfo: '1' }],
    ['an ACK on the wire', 'tap', {}, { stage: 'active', evidence: 'ack' }],
    ['a resource that is not sent', 'csds', { clientStatus: 'REQUESTED', hash: null, versionInfo: '' }, null],
    [
      'a deleted resource with an error',
      'csds',
      { clientStatus: 'DOES_NOT_EXIST', errorState },
      { stage: 'kept' },
    ],
    [
      'a deleted resource without an error, which C-core up to 1.69 does not run',
      'csds',
      { clientStatus: 'DOES_NOT_EXIST' },
      null,
    ],
    [
      'a static resource',
      'envoy-admin',
      { clientStatus: 'UNKNOWN', isStatic: true, stage: 'active' },
      { evidence: 'config_dump' },
    ],
  ])('is stated for %s', (_what, vantage, state, expected) => {
    const world: World = new Map();
    const report = sampleReport({ vantage, changed: [sampleResource(state)] });
    for (const observation of numbered([report])) foldObservation(world, observation);
    const client = world.get('c1');
    const [row] = client === undefined ? [] : runSteps(buildResourceRows(client, live));
    if (expected === null) expect(row?.effect).toBeNull();
    else expect(row?.effect).toMatchObject(expected);
  });
});
