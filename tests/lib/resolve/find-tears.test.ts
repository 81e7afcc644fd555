import { describe, expect, it } from 'vitest';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { findTears, type TearStep } from '@/lib/resolve/find-tears';
import type { Judgement } from '@/lib/resolve/resource-store';
import type { Profile } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { resolveResources } from '../../support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../support/builders/topology-mesh';

/** The changes by second. A resource without a type is removed. */
type History = readonly (readonly [second: number, ...resources: MeshResource[]])[];

interface TearOptions {
  readonly profile?: Profile;
  readonly judgementOf?: (row: ResourceKey, at: number) => Judgement | undefined;
}

function tearsOf(history: History, { profile = 'core-1.56', judgementOf }: TearOptions = {}) {
  const steps = history.map(
    ([second, ...resources]): TearStep => ({
      at: second * 1_000,
      changed: resolveResources(resources.filter(({ sourceId }) => sourceId !== 'gone')).map((each) => {
        const validated = judgementOf?.(each.row, second * 1_000);
        return validated === undefined ? each : { ...each, validated, model: undefined };
      }),
      removed: resources.filter(({ sourceId }) => sourceId === 'gone'),
    }),
  );
  const start = { listener: 'shop', authority: 'shop' };
  return findTears({ start, profile, steps, until: 100_000 });
}

const gone = (typeUrl: string, name: string): MeshResource => ({ typeUrl, name, sourceId: 'gone' });
const asked = (typeUrl: string, name: string): MeshResource => ({ typeUrl, name });
const whole = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '': 'a' }),
  edsCluster('a'),
  endpoints('a', []),
];

describe('findTears', () => {
  it('finds none while a client starts, in any order, because no config is in use', () => {
    const pieces: History = whole.map((each, second) => [second, each]);
    expect(tearsOf(pieces)).toEqual([]);
    expect(tearsOf([...pieces].reverse())).toEqual([]);
  });

  it('finds none if new resources arrive before old ones are removed', () => {
    const history: History = [
      [0, ...whole],
      [1, edsCluster('b')],
      [2, endpoints('b', [])],
      [3, routeConfig('r', { '': 'b' })],
      [4, gone(CDS.typeUrl, 'a'), gone(EDS.typeUrl, 'a')],
    ];
    expect(tearsOf(history)).toEqual([]);
  });

  it('finds a route to a missing cluster, and then to missing endpoints', () => {
    const tears = tearsOf([
      [0, ...whole],
      [10, routeConfig('r', { '': 'b' }), asked(CDS.typeUrl, 'b')],
      [12, edsCluster('b'), asked(EDS.typeUrl, 'b')],
      [15, endpoints('b', [])],
    ]);
    expect(tears).toEqual([
      {
        kind: 'route-to-unknown-cluster',
        fromAt: 10_000,
        toAt: 12_000,
        durationMs: 2_000,
        resources: [
          { typeUrl: CDS.typeUrl, name: 'b' },
          { typeUrl: RDS.typeUrl, name: 'r' },
        ],
        rejection: '',
        preA74: {
          outcome: 'waits',
          durationMs: 2_000,
          text: 'RPCs that a route sends there wait for the cluster',
        },
        a74: {
          outcome: 'waits',
          durationMs: 5_000,
          text: 'the previous config stays in use until all resources are received',
        },
      },
      expect.objectContaining({
        kind: 'endpoints-not-come',
        fromAt: 12_000,
        toAt: 15_000,
        preA74: expect.objectContaining({ outcome: 'waits', durationMs: 3_000 }),
        a74: expect.objectContaining({ outcome: 'waits', durationMs: 3_000 }),
      }),
    ]);
  });

  it('finds a cluster that is removed before its route', () => {
    const removed = { ...asked(CDS.typeUrl, 'a'), clientStatus: 'DOES_NOT_EXIST' } as const;
    const history: History = [
      [0, ...whole, edsCluster('b'), endpoints('b', [])],
      [10, removed],
      [14, routeConfig('r', { '': 'b' })],
    ];
    expect(tearsOf(history)).toMatchObject([
      {
        kind: 'cluster-removed-in-use',
        fromAt: 10_000,
        toAt: 14_000,
        preA74: { outcome: 'fails', durationMs: 4_000 },
        a74: { outcome: 'fails', durationMs: 4_000 },
      },
    ]);
    expect(tearsOf(history, { profile: 'envoy-1.40' })).toMatchObject([
      { preA74: { text: 'requests that a route sends there fail with 503' } },
    ]);
  });

  it('finds none if the client keeps the deleted cluster (gRFC A88), and one if it does not', () => {
    const deleted = { ...edsCluster('a'), clientStatus: 'DOES_NOT_EXIST' } as const;
    const errorState = {
      details: 'does not exist',
      versionInfo: '',
      lastUpdateAttempt: null,
      failedHash: null,
    };
    const historyWith = (last: MeshResource): History => [
      [0, ...whole],
      [10, last],
    ];
    expect(tearsOf(historyWith({ ...deleted, errorState }))).toEqual([]);
    expect(tearsOf(historyWith(deleted))).toMatchObject([
      { kind: 'cluster-removed-in-use', toAt: undefined, durationMs: 90_000 },
    ]);
  });

  it('finds a listener whose new routes are missing, by profile', () => {
    const history: History = [
      [0, ...whole],
      [10, apiListener('shop', { rds: 'r2' }), asked(RDS.typeUrl, 'r2')],
      [13, routeConfig('r2', { '': 'a' })],
    ];
    const text = (profile: Profile) => tearsOf(history, { profile })[0]?.preA74.text;
    expect(tearsOf(history)).toMatchObject([
      {
        kind: 'routes-not-come',
        durationMs: 3_000,
        resources: [
          { typeUrl: RDS.typeUrl, name: 'r2' },
          { typeUrl: LDS.typeUrl, name: 'shop' },
        ],
        preA74: { outcome: 'nothing' },
        a74: { outcome: 'waits', durationMs: 3_000 },
      },
    ]);
    expect(text('go-1.73')).toBe('the old route configuration stays in use, including its updates');
    expect(text('node-1.14')).toBe('the old routes are dropped at once; the published config stays in use');
  });

  it('reports a cluster that does not exist as failing from the time when that is known', () => {
    const never = { ...asked(CDS.typeUrl, 'b'), clientStatus: 'DOES_NOT_EXIST' } as const;
    const tears = tearsOf([
      [0, ...whole],
      [10, routeConfig('r', { '': 'b' }), asked(CDS.typeUrl, 'b')],
      [25, never],
    ]);
    expect(tears).toMatchObject([
      {
        kind: 'route-to-unknown-cluster',
        toAt: undefined,
        preA74: { outcome: 'fails' },
        a74: { outcome: 'fails', durationMs: 75_000 },
      },
    ]);
  });

  it('ignores bodies that a client of the profile would reject', () => {
    const rejected = (typeUrl: string, name: string): Judgement => {
      const rule = { ruleId: 'C6', fieldPath: 'p', message: 'p: expected x, got y', others: 0, hash: 'h' };
      return { note: '', rejection: { typeUrl, name, ...rule, keepsEarlier: false } };
    };
    const history: History = [
      [0, ...whole],
      [10, routeConfig('r', { '': 'b' }), edsCluster('b'), asked(EDS.typeUrl, 'b')],
      [15, edsCluster('b'), endpoints('b', [])],
    ];
    const validated = (typeUrl: string, second: number) =>
      tearsOf(history, {
        judgementOf: (row, at) =>
          row.typeUrl === typeUrl && row.name === 'b' && at < second * 1_000
            ? rejected(typeUrl, 'b')
            : undefined,
      });
    const rejection = 'C-core 1.56 to 1.67 would reject it: C6 p: expected x, got y';
    expect(validated(CDS.typeUrl, 15)).toMatchObject([
      {
        kind: 'route-to-unknown-cluster',
        fromAt: 10_000,
        toAt: 15_000,
        rejection,
        a74: { outcome: 'fails' },
      },
    ]);
    expect(validated(EDS.typeUrl, 99)).toMatchObject([
      {
        kind: 'endpoints-not-come',
        fromAt: 10_000,
        toAt: undefined,
        rejection: expect.stringContaining(rejection),
      },
    ]);
  });

  it('resets the config in use when the client restarts', () => {
    const all = whole.map(({ typeUrl, name }) => gone(typeUrl, name));
    const [first, ...rest] = whole;
    if (first === undefined) throw new Error('a listener');
    expect(
      tearsOf([
        [0, ...whole],
        [10, ...all],
        [20, first],
        [21, ...rest],
      ]),
    ).toEqual([]);
  });
});
