import type { QueryKey } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { clientKey } from '@/app/_ask/client-subject';
import { historyNewestOptions } from '@/app/_ask/history';
import { type KnownQueries, keysOf, keysOfTopic } from '@/app/_stream/notice-keys';
import type { StreamNotice } from '@/lib/views/stream/schema';

const parts = (['detail', 'resources', 'graph', 'tears'] as const).map((part) => clientKey('a', part));

/** Answers about two clients are cached. */
const cached: readonly QueryKey[] = [
  clientKey('a', 'detail'),
  [...clientKey('a', 'resources'), 'pages', {}],
  [...clientKey('a', 'resources'), 'answer', {}],
  [...clientKey('a', 'graph'), 'answer', {}],
  [...clientKey('a', 'graph'), 'answer', { find: 'x' }],
  [...clientKey('a', 'tears'), 'answer', {}],
  [...clientKey('a', 'load'), 'series', {}],
  [...clientKey('b', 'findings'), 'answer', {}],
];
const cache: KnownQueries = {
  getQueriesData: ({ queryKey }) =>
    cached
      .filter((key) => queryKey.every((part, index) => part === key[index]))
      .map((key) => [key, {}] as const),
};

describe('keysOf()', () => {
  it.each<[StreamNotice, readonly QueryKey[]]>([
    ['fleet', [['fleet'], ['cohorts'], ['identity']]],
    ['fleet/events', [['events']]],
    ['sources', [['sources'], ['health']]],
    ['sources/imports', [['imports']]],
    ['sources/replays', [['replays']]],
    ['lab', [['lab']]],
    ['history', [historyNewestOptions('').queryKey]],
    ['client:a', parts],
    ['client:a/settled', parts],
    ['client:a/detail', [clientKey('a', 'detail')]],
    ['client:a/load', [clientKey('a', 'load')]],
    ['client:a/history', [historyNewestOptions('a').queryKey]],
    ['client:c', []],
  ])('%s', (notice, keys) => {
    expect(keysOf(cache, notice)).toEqual(keys);
  });
});

describe('keysOfTopic()', () => {
  it.each([
    ['fleet', [['fleet'], ['cohorts'], ['identity'], ['events']]],
    ['sources', [['sources'], ['health'], ['imports'], ['replays']]],
    ['client:a', [...parts, clientKey('a', 'load'), historyNewestOptions('a').queryKey]],
    ['issues', [['issues']]],
  ] as const)('has the keys of everything that %s has notices about', (topic, keys) => {
    expect(keysOfTopic(cache, topic)).toEqual(keys);
  });
});
