import { expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import { unusableSince } from '@/lib/views/issues/unusable-since';

const host = (over: Partial<Connection>): Connection => ({
  ...{ id: 'host', kind: 'host', target: '10.0.0.1:80', channels: [], state: 'HEALTHY', since: 1_000 },
  ...over,
});
const unhealthy = host({ state: 'UNHEALTHY', since: 2_000, failingSince: 2_000 });
const ejected = host({ state: 'EJECTED', since: 5_000, failingSince: 4_000 });
const ofEds = host({ state: 'UNHEALTHY', since: 3_000 });

it.each([
  ['the last one was excluded', [unhealthy, ejected, ofEds], 4_000],
  ['EDS stated their health', [ofEds], 3_000],
  ['one is healthy', [unhealthy, host({})], undefined],
  ['one is degraded, and is used', [unhealthy, host({ state: 'DEGRADED' })], undefined],
  ['none is reported', [], undefined],
])('no host is usable since %s', (_, hosts, since) => {
  expect(unusableSince(hosts)).toBe(since);
});
