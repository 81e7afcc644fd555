import { describe, expect, test } from 'vitest';
import type { ResourceChanges } from '@/lib/observation/observation';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { type ReadResource, ResourceCache } from '@/server/xds/resource-cache';
import type { Subscription } from '@/server/xds/xds-channel';

const everything: Subscription = { wildcard: true, names: new Set() };
const only = (...names: string[]): Subscription => ({ wildcard: false, names: new Set(names) });

function came(name: string, hash = `hash of ${name}`, follows: string[] = []): ReadResource {
  const bytes = Buffer.from(hash);
  const links = follows.map((each) => ({ typeUrl: EDS.typeUrl, name: each }));
  return { kind: 'new', name, bytes, hash, sizeBytes: bytes.length, follows: links };
}
const same = (name: string): ReadResource => ({ kind: 'unchanged', name });
const bad = (name: string): ReadResource => ({
  kind: 'refused',
  name,
  reason: 'broken',
  failedHash: 'bad-hash',
});

const statusesOf = ({ changed, removed }: ResourceChanges): string[] => [
  ...changed.map(({ name, clientStatus }) => `${name} ${clientStatus}`),
  ...removed.map(({ name }) => `${name} gone`),
];

describe('ResourceCache of clusters, where an answer is the whole truth', () => {
  const clusters = () => new ResourceCache(CDS.typeUrl, true);

  test('what came is ACKED under the version of its answer', () => {
    const { changed } = clusters().apply([came('a')], 'v1', everything, 5);
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

  test('what is unchanged is not told again, and keeps the version under which it came', () => {
    const cache = clusters();
    cache.apply([came('a'), came('b')], 'v1', everything, 5);
    expect(statusesOf(cache.apply([same('a'), came('b', 'other')], 'v2', everything, 6))).toEqual([
      'b ACKED',
    ]);
    expect(cache.find('a')?.state).toMatchObject({ versionInfo: 'v1', changedAt: 5 });
  });

  test('a refused one keeps body, version and references of the last good one', () => {
    const cache = clusters();
    cache.apply([came('a', 'good', ['a-eds'])], 'v1', everything, 5);
    const { changed } = cache.apply([bad('a')], 'v2', everything, 6);
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
    expect(cache.find('a')?.follows).toEqual([{ typeUrl: EDS.typeUrl, name: 'a-eds' }]);
  });

  test('a refused one that was never good has neither body nor version', () => {
    const { changed } = clusters().apply([bad('a')], 'v1', everything, 5);
    expect(changed).toEqual([
      expect.objectContaining({ clientStatus: 'NACKED', versionInfo: '', hash: null, lastUpdated: null }),
    ]);
  });

  test('the good bytes again after a NACK are ACKED under the new version', () => {
    const cache = clusters();
    cache.apply([came('a', 'good')], 'v1', everything, 5);
    cache.apply([bad('a')], 'v2', everything, 6);
    const { changed } = cache.apply([same('a')], 'v3', everything, 7);
    expect(changed).toEqual([
      expect.objectContaining({
        clientStatus: 'ACKED',
        versionInfo: 'v3',
        hash: 'good',
        errorState: null,
      }),
    ]);
  });

  test('absence removes what only the wildcard brought', () => {
    const cache = clusters();
    cache.apply([came('a'), came('b')], 'v1', everything, 5);
    expect(statusesOf(cache.apply([same('b')], 'v2', everything, 6))).toEqual(['a gone']);
    expect(statusesOf(cache.apply([], 'v3', everything, 7))).toEqual(['b gone']);
  });

  test('absence makes a subscribed name DOES_NOT_EXIST, told once', () => {
    const cache = clusters();
    cache.want(only('a'), 4);
    cache.apply([came('a')], 'v1', only('a'), 5);
    const { changed } = cache.apply([], 'v2', only('a'), 6);
    expect(changed).toEqual([
      expect.objectContaining({ clientStatus: 'DOES_NOT_EXIST', hash: null, versionInfo: '' }),
    ]);
    expect(statusesOf(cache.apply([], 'v3', only('a'), 7))).toEqual([]);
  });

  test('absence proves nothing of a name that was just asked for', () => {
    const cache = clusters();
    cache.want(only('a', 'b'), 4);
    expect(statusesOf(cache.apply([came('a')], 'v1', only('a', 'b'), 5))).toEqual(['a ACKED']);
    expect(cache.find('b')?.state.clientStatus).toBe('REQUESTED');
  });

  test('a refused one is present: it is not deleted', () => {
    const cache = clusters();
    cache.apply([came('a')], 'v1', everything, 5);
    expect(statusesOf(cache.apply([bad('a')], 'v2', everything, 6))).toEqual(['a NACKED']);
  });

  test('links move only when references do', () => {
    const cache = clusters();
    cache.apply([came('a', '1', ['x']), came('plain')], 'v1', everything, 5);
    const before = cache.linksRevision;
    cache.apply([came('a', '2', ['x']), came('plain', '2')], 'v2', everything, 6);
    expect(cache.linksRevision).toBe(before);
    cache.apply([came('a', '3', ['y']), came('plain', '2')], 'v3', everything, 7);
    expect(cache.linksRevision).toBe(before + 1);
    cache.apply([], 'v4', everything, 8);
    expect(cache.linksRevision).toBe(before + 2);
  });
});

describe('ResourceCache of endpoints, where absence means nothing', () => {
  const endpoints = () => new ResourceCache(EDS.typeUrl, false);

  test('names are REQUESTED when they are wanted, once, and go when nobody wants them', () => {
    const cache = endpoints();
    expect(statusesOf(cache.want(only('a', 'b'), 4))).toEqual(['a REQUESTED', 'b REQUESTED']);
    expect(statusesOf(cache.want(only('a', 'b', 'c'), 5))).toEqual(['c REQUESTED']);
    expect(statusesOf(cache.want(only('b'), 6))).toEqual(['a gone', 'c gone']);
    expect(cache.unheardOf()).toEqual(['b']);
  });

  test('an answer without a name leaves it as it is', () => {
    const cache = endpoints();
    cache.want(only('a', 'b'), 4);
    cache.apply([came('a'), came('b')], 'v1', only('a', 'b'), 5);
    expect(statusesOf(cache.apply([came('b', 'new')], 'v2', only('a', 'b'), 6))).toEqual(['b ACKED']);
    expect(cache.find('a')?.state.clientStatus).toBe('ACKED');
  });

  test('what was not asked for is left out', () => {
    const cache = endpoints();
    cache.want(only('a'), 4);
    expect(statusesOf(cache.apply([came('stranger'), bad('other')], 'v1', only('a'), 5))).toEqual([]);
    expect(cache.find('stranger')).toBeUndefined();
  });

  test('only names that were never heard of expire', () => {
    const cache = endpoints();
    cache.want(only('a', 'b', 'c'), 4);
    cache.apply([came('a'), bad('b')], 'v1', only('a', 'b', 'c'), 5);
    const expired = cache.expire(['a', 'b', 'c', 'unknown'], 15_004);
    expect(expired.map(({ name, clientStatus }) => `${name} ${clientStatus}`)).toEqual(['c DOES_NOT_EXIST']);
    expect(cache.expire(['c'], 15_005)).toEqual([]);
  });
});
