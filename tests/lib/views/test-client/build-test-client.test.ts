import { describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { MethodCounts } from '@/lib/observation/test-client';
import { buildTestClient, findTestClient } from '@/lib/views/test-client/build-test-client';

const node = {
  ...{ id: 'node-1', cluster: '', locality: null, userAgentName: '', userAgentVersion: '' },
  ...{ clientFeatures: [], metadata: {} },
};

function method(started: number, ended: Readonly<Record<number, number>>): MethodCounts {
  const list = Object.entries(ended).map(([code, count]) => ({ code: Number(code), count }));
  return { method: 'UNARY_CALL', started, ended: list };
}

function build(...reports: readonly (readonly [at: number, counts: MethodCounts])[]) {
  const world: World = new Map();
  const base = { vantage: 'interop', sourceId: 'interop:a:1', clientId: 'c', node, scope: '' } as const;
  for (const [at, counts] of reports)
    foldObservation(world, {
      ...{ ...base, seq: at, at, kind: 'rpcs-counted' },
      methods: [{ ...counts, ended: [...counts.ended] }],
    });
  const client = world.get('c') ?? expect.fail('expected a client');
  return buildTestClient(
    findTestClient(client, () => ({ freshness: 'live', reason: '' })),
    {
      clusters: [],
      unmatched: [],
      servers: [],
    },
  ).counts;
}

describe('the RPCs of a test client', () => {
  it('have no rates until counts were reported twice', () => {
    expect(build([1000, method(10, { 0: 7, 14: 1 })])).toEqual({
      at: 1000,
      methods: [
        {
          ...{ method: 'UNARY_CALL', started: 10, inFlight: 2 },
          statuses: [
            { code: 0, name: 'OK', count: 7 },
            { code: 14, name: 'UNAVAILABLE', count: 1 },
          ],
        },
      ],
    });
  });

  it('have rates between the last two reports, from 0 for a status that is new', () => {
    const counts = build(
      [1000, method(1, { 0: 1 })],
      [2000, method(10, { 0: 10 })],
      [4000, method(30, { 0: 20, 4: 10 })],
    );
    expect(counts?.overSeconds).toBe(2);
    expect(counts?.methods[0]).toMatchObject({
      startedPerSecond: 10,
      statuses: [
        { name: 'OK', perSecond: 5 },
        { name: 'DEADLINE_EXCEEDED', perSecond: 5 },
      ],
    });
  });

  it('have no rate after the client restarted', () => {
    const counts = build([1000, method(100, { 0: 100 })], [2000, method(3, { 0: 3 })]);
    expect(counts?.methods[0]).not.toHaveProperty('startedPerSecond');
    expect(counts?.methods[0]?.statuses).toEqual([{ code: 0, name: 'OK', count: 3 }]);
  });

  it('have the rate 0 when the newest counts equal those before', () => {
    const counts = build([1000, method(100, { 0: 100 })], [2000, method(100, { 0: 100 })]);
    expect(counts?.methods[0]?.startedPerSecond).toBe(0);
  });
});

describe('the servers of a test client', () => {
  it('have what xdscope set last, and no setting of another server', () => {
    const world: World = new Map();
    const base = { vantage: 'interop', sourceId: 'interop:a:1', clientId: 'c', node, scope: '' } as const;
    for (const [at, address, isServing] of [
      [1, '10.0.0.1:80', false],
      [2, '10.0.0.9:80', false],
      [3, '10.0.0.1:80', true],
    ] as const)
      foldObservation(world, { ...base, seq: at, at, kind: 'test-server-set', address, isServing });
    const client = world.get('c') ?? expect.fail('expected a client');
    const found = findTestClient(client, () => ({ freshness: 'live', reason: '' }));
    const configured = { cluster: 'a', hostname: '', health: 'HEALTHY' };
    const servers = ['10.0.0.1:80', '10.0.0.2:80'].map((address) => ({ ...configured, address }));
    expect(buildTestClient(found, { clusters: [], unmatched: [], servers }).servers).toEqual([
      { ...configured, address: '10.0.0.1:80', set: { at: 3, isServing: true } },
      { ...configured, address: '10.0.0.2:80' },
    ]);
  });
});
