import { describe, expect, test } from 'vitest';
import type { ResourceChanges } from '@/lib/observation/resource-state';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { ResourceCache } from '@/server/collect/xds/client/resource-cache';
import type { ResponseUpdate } from '@/server/collect/xds/client/response-update';
import type { ReadResource } from '@/server/collect/xds/response/read-resource';
import { type ErrorPolicy, errorPolicyOf } from '@/server/collect/xds/stream/error-policy';

const ordinary = { version: '', ttlMs: null, aliases: [] };

function came(name: string, hash = `hash of ${name}`, follows: string[] = []): ReadResource {
  const links = follows.map((each) => ({ typeUrl: EDS.typeUrl, name: each }));
  const wireBytes = hash.length;
  const body = { digest: hash, wireBytes, hash, sizeBytes: wireBytes, follows: links } as const;
  return { ...ordinary, kind: 'new', name, ...body, apiVersion: 'v3' };
}
const same = (name: string): ReadResource => ({ ...ordinary, kind: 'unchanged', name });
const bad = (name: string): ReadResource => ({
  kind: 'rejected',
  name,
  version: '',
  reason: 'broken',
  failedHash: 'bad-hash',
});

const preA88 = errorPolicyOf('pre-a88', { features: new Set() });
const a88 = errorPolicyOf('a88', { features: new Set() });

/** A cache, and the references that it reported. */
class Held {
  readonly links: string[] = [];
  readonly cache: ResourceCache;

  constructor(
    typeUrl: string,
    absenceDeletes: boolean,
    wildcard: boolean,
    readonly policy: ErrorPolicy = preA88,
  ) {
    this.cache = new ResourceCache({
      typeUrl,
      absenceDeletes,
      wildcard,
      isOurs: (name) => !name.startsWith('xdstp:'),
      onLinks: (name, follows) =>
        this.links.push(`${name} -> ${follows?.map((key) => key.name).join(' ') ?? 'gone'}`),
    });
  }

  sotw(resources: readonly ReadResource[], versionInfo: string, at: number): ResourceChanges {
    return this.#take({ isDelta: false, resources, versionInfo }, at);
  }

  /** Several resources of one name, in a client that accepts duplicates. */
  copies(resources: readonly ReadResource[], at: number): ResourceChanges {
    return this.#take({ isDelta: true, resources, hasCopies: true }, at);
  }

  delta(resources: readonly ReadResource[], removed: readonly string[], at: number): ResourceChanges {
    return this.#take({ isDelta: true, resources, removed }, at);
  }

  errors(errors: ResponseUpdate['errors'], at: number): ResourceChanges {
    return this.#take({ errors }, at);
  }

  #take(news: Partial<ResponseUpdate>, at: number): ResourceChanges {
    const { policy } = this;
    const nothing = { isDelta: false, versionInfo: '', resources: [], removed: [], errors: [] };
    return this.cache.apply({ ...nothing, server: 'a', policy, ...news }, at);
  }

  statusOf(name: string): string | undefined {
    return this.cache.find(name)?.state.clientStatus;
  }
}

const statusesOf = ({ changed, removed }: ResourceChanges): string[] => [
  ...changed.map(({ name, clientStatus }) => `${name} ${clientStatus}`),
  ...removed.map(({ name }) => `${name} gone`),
];

describe('ResourceCache of clusters, where a response is the complete set', () => {
  const everyCluster = () => new Held(CDS.typeUrl, true, true);
  const clusters = (policy?: ErrorPolicy) => new Held(CDS.typeUrl, true, false, policy);

  test('a received resource is ACKED with the version of the response', () => {
    const { changed } = everyCluster().sotw([came('a')], 'v1', 5);
    expect(changed).toEqual([
      {
        typeUrl: CDS.typeUrl,
        name: 'a',
        versionInfo: 'v1',
        clientStatus: 'ACKED',
        configStatus: 'UNKNOWN',
        lastUpdated: 5,
        errorState: null,
        hash: 'hash of a',
        sizeBytes: 9,
        isStatic: false,
        changedAt: 5,
      },
    ]);
  });

  test('an unchanged resource is not reported again and keeps its version', () => {
    const held = everyCluster();
    held.sotw([came('a'), came('b')], 'v1', 5);
    expect(statusesOf(held.sotw([same('a'), came('b', 'other')], 'v2', 6))).toEqual(['b ACKED']);
    expect(held.cache.find('a')?.state).toMatchObject({ versionInfo: 'v1', changedAt: 5 });
  });

  test('one change is reported for two resources of one name, and for a resource that is also removed', () => {
    const held = everyCluster();
    const { changed } = held.copies([came('a', 'first'), came('a', 'second')], 5);
    expect(changed).toMatchObject([{ name: 'a', hash: 'second' }]);
    const both = held.delta([came('a', 'third'), came('b')], ['a'], 6);
    expect(statusesOf(both)).toEqual(['a ACKED', 'b ACKED']);
  });

  test('the result of takeNames does not change later', () => {
    const { cache } = new Held(CDS.typeUrl, true, false);
    cache.want(['a', 'b'], 1);
    const taken = cache.takeNames();
    cache.unwant(['a']);
    cache.want(['c'], 2);
    expect([...taken]).toEqual(['a', 'b']);
    expect([...cache.names]).toEqual(['b', 'c']);
  });

  test('a rejected resource keeps body, version and references of the last accepted one', () => {
    const held = everyCluster();
    held.sotw([came('a', 'good', ['a-eds'])], 'v1', 5);
    const { changed } = held.sotw([bad('a')], 'v2', 6);
    expect(changed).toEqual([
      expect.objectContaining({
        clientStatus: 'NACKED',
        versionInfo: 'v1',
        hash: 'good',
        lastUpdated: 5,
        changedAt: 6,
        errorState: { details: 'broken', versionInfo: 'v2', lastUpdateAttempt: 6, failedHash: 'bad-hash' },
      }),
    ]);
    expect(held.links).toEqual(['a -> a-eds']);
  });

  test('a rejected resource that was never accepted has neither body nor version', () => {
    const { changed } = everyCluster().sotw([bad('a')], 'v1', 5);
    expect(changed).toEqual([
      expect.objectContaining({ clientStatus: 'NACKED', versionInfo: '', hash: null, lastUpdated: null }),
    ]);
  });

  test('the accepted bytes again after a NACK are ACKED with the new version', () => {
    const held = everyCluster();
    held.sotw([came('a', 'good')], 'v1', 5);
    held.sotw([bad('a')], 'v2', 6);
    const { changed } = held.sotw([same('a')], 'v3', 7);
    expect(changed).toEqual([
      expect.objectContaining({
        clientStatus: 'ACKED',
        versionInfo: 'v3',
        hash: 'good',
        errorState: null,
      }),
    ]);
  });

  test('a heartbeat leaves a rejected resource NACKED', () => {
    const held = everyCluster();
    held.sotw([came('a', 'good')], 'v1', 5);
    held.sotw([bad('a')], 'v2', 6);
    const heartbeat: ReadResource = { kind: 'heartbeat', name: 'a', version: '', ttlMs: 5_000 };
    expect(statusesOf(held.sotw([heartbeat], 'v3', 7))).toEqual([]);
    expect(held.statusOf('a')).toBe('NACKED');
  });

  test('absence removes a resource of the wildcard, and its references', () => {
    const held = everyCluster();
    held.sotw([came('a', '1', ['x']), came('b')], 'v1', 5);
    expect(statusesOf(held.sotw([same('b')], 'v2', 6))).toEqual(['a gone']);
    expect(statusesOf(held.sotw([], 'v3', 7))).toEqual(['b gone']);
    expect(held.links).toEqual(['a -> x', 'b -> ', 'a -> gone', 'b -> gone']);
  });

  test('the wildcard includes no names of other authorities', () => {
    const held = everyCluster();
    expect(statusesOf(held.sotw([came('xdstp://x/t/a'), came('b')], 'v1', 5))).toEqual(['b ACKED']);
  });

  test('absence makes a subscribed name DOES_NOT_EXIST once and removes its references', () => {
    const held = clusters();
    held.cache.want(['a'], 4);
    held.sotw([came('a', '1', ['x'])], 'v1', 5);
    const { changed } = held.sotw([], 'v2', 6);
    expect(changed).toEqual([
      expect.objectContaining({ clientStatus: 'DOES_NOT_EXIST', hash: null, versionInfo: '' }),
    ]);
    expect(statusesOf(held.sotw([], 'v3', 7))).toEqual([]);
    expect(held.links).toEqual(['a -> x', 'a -> ']);
  });

  test('with gRFC A88 a deleted resource stays in use, with its references', () => {
    const held = clusters(a88);
    held.cache.want(['a'], 4);
    held.sotw([came('a', '1', ['x'])], 'v1', 5);
    expect(held.sotw([], 'v2', 6).changed).toEqual([
      expect.objectContaining({ clientStatus: 'DOES_NOT_EXIST', hash: '1', versionInfo: 'v1' }),
    ]);
    expect(statusesOf(held.sotw([], 'v3', 7))).toEqual([]);
    expect(held.links).toEqual(['a -> x']);
    expect(statusesOf(held.sotw([same('a')], 'v4', 8))).toEqual(['a ACKED']);
  });

  test('an ignored deletion is reported once, not with each response', () => {
    const policy = errorPolicyOf('pre-a88', { features: new Set(['ignore_resource_deletion']) });
    const held = clusters(policy);
    held.cache.want(['a'], 4);
    held.sotw([came('a')], 'v1', 5);
    expect(statusesOf(held.sotw([], 'v2', 6))).toEqual(['a ACKED']);
    expect(statusesOf(held.sotw([], 'v3', 7))).toEqual([]);
    expect(held.cache.find('a')?.state.ambientError?.code).toBe('NOT_FOUND');
    expect(held.sotw([same('a')], 'v4', 8).changed[0]?.ambientError).toBeUndefined();
  });

  test('absence deletes no name that was never received', () => {
    const held = clusters();
    held.cache.want(['a', 'b'], 4);
    expect(statusesOf(held.sotw([came('a')], 'v1', 5))).toEqual(['a ACKED']);
    expect(held.statusOf('b')).toBe('REQUESTED');
  });

  test('an error of the server is kept until the resource is received', () => {
    const held = clusters();
    held.cache.want(['a'], 4);
    const { changed } = held.errors([{ name: 'a', code: 'PERMISSION_DENIED', message: 'not you' }], 5);
    expect(changed).toEqual([
      expect.objectContaining({
        clientStatus: 'RECEIVED_ERROR',
        errorState: expect.objectContaining({ details: 'PERMISSION_DENIED: not you' }),
      }),
    ]);
    expect(statusesOf(held.sotw([], 'v2', 6))).toEqual([]);
    expect(statusesOf(held.sotw([came('a')], 'v3', 7))).toEqual(['a ACKED']);
  });

  test('a rejected resource is present and not deleted', () => {
    const held = everyCluster();
    held.sotw([came('a')], 'v1', 5);
    expect(statusesOf(held.sotw([bad('a')], 'v2', 6))).toEqual(['a NACKED']);
  });
});

describe('ResourceCache of endpoints, where absence is no deletion', () => {
  const endpoints = () => new Held(EDS.typeUrl, false, false);

  test('names are REQUESTED once when they are subscribed, and removed with their subscription', () => {
    const { cache } = endpoints();
    expect(statusesOf(cache.want(['a', 'b'], 4))).toEqual(['a REQUESTED', 'b REQUESTED']);
    expect(statusesOf(cache.want(['b', 'c'], 5))).toEqual(['c REQUESTED']);
    expect(statusesOf(cache.unwant(['a', 'c', 'x']))).toEqual(['a gone', 'c gone']);
    expect([...cache.unknownNames]).toEqual(['b']);
  });

  test('a response without a name leaves it unchanged', () => {
    const held = endpoints();
    held.cache.want(['a', 'b'], 4);
    held.sotw([came('a'), came('b')], 'v1', 5);
    expect(statusesOf(held.sotw([came('b', 'new')], 'v2', 6))).toEqual(['b ACKED']);
    expect(held.statusOf('a')).toBe('ACKED');
  });

  test('resources that were not requested are ignored', () => {
    const held = endpoints();
    held.cache.want(['a'], 4);
    expect(statusesOf(held.sotw([came('stranger'), bad('other')], 'v1', 5))).toEqual([]);
    expect(held.cache.find('stranger')).toBeUndefined();
  });

  test('only names without any result time out', () => {
    const held = endpoints();
    held.cache.want(['a', 'b', 'c'], 4);
    held.sotw([came('a'), bad('b')], 'v1', 5);
    const timedOut = held.cache.timeOut(['a', 'b', 'c', 'unknown'], 15_000, 15_004, preA88);
    expect(timedOut.map(({ name, clientStatus }) => `${name} ${clientStatus}`)).toEqual(['c DOES_NOT_EXIST']);
    expect(held.cache.timeOut(['c'], 15_000, 15_005, preA88)).toEqual([]);
  });

  test('an expired resource is DOES_NOT_EXIST, with the reason', () => {
    const held = endpoints();
    held.cache.want(['a', 'b'], 4);
    held.sotw([came('a')], 'v1', 5);
    expect(held.cache.expire(['a', 'b', 'unknown'], 10).changed).toEqual([
      expect.objectContaining({
        name: 'a',
        clientStatus: 'DOES_NOT_EXIST',
        hash: null,
        errorState: expect.objectContaining({ details: expect.stringContaining('time to live') }),
      }),
    ]);
  });

  test('in delta each resource has its own version, and only removal deletes', () => {
    const held = endpoints();
    held.cache.want(['a', 'b'], 4);
    const { changed } = held.delta([{ ...came('a'), version: '7' }], ['b'], 5);
    expect(changed.map((row) => `${row.name} ${row.clientStatus} ${row.versionInfo}`)).toEqual([
      'a ACKED 7',
      'b DOES_NOT_EXIST ',
    ]);
    expect(statusesOf(held.delta([], [], 6))).toEqual([]);
    expect(held.delta([{ ...same('a'), version: '8' }], [], 7).changed[0]?.versionInfo).toBe('8');
    expect([...held.cache.versionsOf('a')]).toEqual([['a', '8']]);
    expect([...held.cache.versionsOf('another server')]).toEqual([]);
  });

  test('a resource that was requested by an alias is cached under the alias and removed by its name', () => {
    const held = endpoints();
    held.cache.want(['vhost/a.example'], 4);
    const aliased = { ...came('vhost/all'), version: '1', aliases: ['vhost/a.example', 'vhost/other'] };
    expect(held.delta([aliased], [], 5).changed).toEqual([
      expect.objectContaining({
        name: 'vhost/a.example',
        clientStatus: 'ACKED',
        canonicalName: 'vhost/all',
      }),
    ]);
    expect(held.cache.find('vhost/all')?.digest).not.toBeNull();
    expect([...held.cache.versionsOf('a')]).toEqual([['vhost/all', '1']]);
    expect(statusesOf(held.delta([], ['vhost/all'], 6))).toEqual(['vhost/a.example DOES_NOT_EXIST']);
  });

  test('unreachable servers mark requested resources, and with A88 all of them', () => {
    const held = endpoints();
    held.cache.want(['a', 'b'], 4);
    held.sotw([came('a')], 'v1', 5);
    const lost = held.cache.markUnreachable('no route', 6, preA88);
    expect(lost.map(({ name, errorState }) => [name, errorState?.details])).toEqual([['b', 'no route']]);
    expect(held.cache.clearUnreachable(7).map(({ name, errorState }) => [name, errorState])).toEqual([
      ['b', null],
    ]);
    const inA88 = held.cache.markUnreachable('no route', 8, a88);
    expect(inA88.map(({ name, ambientError }) => [name, ambientError?.code])).toEqual([
      ['a', 'UNAVAILABLE'],
      ['b', undefined],
    ]);
  });
});
