import { expect, it } from 'vitest';
import { groupErrors } from '@/lib/issues/group-errors';
import { buildLoadIssue } from '@/lib/views/issues/build-load-issue';
import { KnownErrors, loadErrorsEntry } from '@/server/live/issues/known-errors';
import { LoadErrors } from '@/server/live/issues/load-errors';
import { clusterLoad, loadReported, localityLoad } from '../../../support/builders/load-samples';
import { openLoads } from '../../../support/open-loads';
import { openKept } from '../../../support/test-state';

const minuteMs = 60_000;
const start = Date.parse('2026-11-26T20:00:00Z');

interface Minute {
  readonly errors: number;
  readonly successful: number;
}

/** Returns a text such as "20:05". */
const minuteOf = (at: number | undefined) =>
  at === undefined ? undefined : new Date(at).toISOString().slice(11, 16);

const openKnown = async () => new KnownErrors(await openKept(loadErrorsEntry));

/** The issues at the end of these minutes; the client web reports each minute of requests to cart, and 100 to search. */
async function issuesAfter(minutes: readonly (Minute | null)[]): Promise<string[]> {
  const loads = await openLoads();
  for (const [index, minute] of minutes.entries()) {
    const at = start + (index + 1) * minuteMs - 1;
    const search = clusterLoad([localityLoad('a', { successful: '100' })], {
      ...{ clusterName: 'search', intervalMs: minuteMs },
    });
    const cart =
      minute === null
        ? []
        : [
            clusterLoad(
              [localityLoad('a', { successful: String(minute.successful), errors: String(minute.errors) })],
              { intervalMs: minuteMs },
            ),
          ];
    loads.observe(loadReported(at, [search, ...cart]));
  }
  const found = await new LoadErrors(loads, await openKnown()).find(start + minutes.length * minuteMs, true);
  const issues = found.map((each) =>
    buildLoadIssue({ found: [each], nodeIdOf: () => 'web', idOf: (key) => key, endOf: () => undefined }),
  );
  return issues.map(({ severity, state, since, resolvedAt, impact, clients }) =>
    [severity, state, minuteOf(since), minuteOf(resolvedAt), impact.text, clients.total].join(' | '),
  );
}

const calm = { errors: 0, successful: 100 };
const fails = (errors: number, successful = 100 - errors): Minute => ({ errors, successful });

it.each<[string, (Minute | null)[], string[]]>([
  ['no errors', [calm, calm], []],
  ['errors below 5%', [calm, fails(6, 200)], []],
  ['too few requests', [fails(4, 0)], []],
  [
    'a share of the requests: the impact names it, and that of all requests',
    [calm, calm, fails(20), fails(10)],
    ['major | open | 20:02 |  | 15% of the requests to cart fail (7.5% of all measured requests) | 1'],
  ],
  [
    'a small share of all requests is a warning',
    [calm, fails(6), fails(6)],
    ['warning | open | 20:01 |  | 6% of the requests to cart fail (3% of all measured requests) | 1'],
  ],
  [
    'every request of a cluster that has half of all',
    [fails(100), fails(100)],
    ['critical | open | 20:00 |  | Every request to cart fails (50% of all measured requests) | 1'],
  ],
  [
    'a calm minute does not end it',
    [fails(20), calm, fails(20), calm],
    ['major | open | 20:00 |  | 10% of the requests to cart fail (5% of all measured requests) | 1'],
  ],
  [
    'it ends with the last minute of errors; the newest period counts',
    [fails(20), calm, calm, calm, fails(30), calm, null, null],
    [
      'major | resolved | 20:04 | 20:05 | 30% of the requests to cart fail (15% of all measured requests) | 1',
    ],
  ],
])('%s', async (_, minutes, expected) => {
  expect(await issuesAfter(minutes)).toEqual(expected);
});

it('begins with the first report of failed requests, not with its minute', async () => {
  const loads = await openLoads();
  const seconds = { intervalMs: 5_000 };
  for (let at = start + 20_000; at < start + 55_000; at += 5_000) {
    const errors = at < start + 35_000 ? '0' : '5';
    loads.observe(loadReported(at, [clusterLoad([localityLoad('a', { successful: '5', errors })], seconds)]));
  }
  const errors = new LoadErrors(loads, await openKnown());
  const [now] = await errors.find(start + 60_000, true);
  expect(new Date(now?.from ?? 0).toISOString()).toBe('2026-11-26T20:00:35.000Z');
  const [later] = await errors.find(start + 90_000, true);
  expect(later?.from).toBe(now?.from);
});

it('counts errors, and does not extrapolate those of a client that reports since a few seconds ago', async () => {
  const loads = await openLoads();
  const report = (atMs: number, errors: number): void =>
    loads.observe(
      loadReported(start + atMs, [
        clusterLoad([localityLoad('a', { successful: '10', errors: String(errors) })], { intervalMs: 5_000 }),
      ]),
    );
  const titlesAt = async (atMs: number): Promise<string[]> =>
    (await new LoadErrors(loads, await openKnown()).find(start + atMs, true)).map(
      ({ clusterName }) => clusterName,
    );
  report(25_000, 1);
  expect(await titlesAt(26_000)).toEqual([]);
  report(30_000, 4);
  expect(await titlesAt(31_000)).toEqual(['cart']);
});

it('is one issue of the clusters that fail together', async () => {
  const loads = await openLoads();
  const names = ['cart', 'catalog', 'mail', 'orders', 'search', 'users'];
  const failing = [localityLoad('a', { successful: '80', errors: '20' })];
  for (const minute of [1, 2])
    loads.observe(
      loadReported(
        start + minute * minuteMs - 1,
        names.map((clusterName) => clusterLoad(failing, { clusterName, intervalMs: minuteMs })),
      ),
    );
  const found = groupErrors(await new LoadErrors(loads, await openKnown()).find(start + 2 * minuteMs, true));
  const [issue, ...others] = found.map((some) =>
    buildLoadIssue({ found: some, nodeIdOf: () => 'web', idOf: (key) => key, endOf: () => undefined }),
  );
  expect(others).toEqual([]);
  expect([issue?.title, issue?.impact.text, issue?.clients.total, issue?.group]).toEqual([
    'Requests of web to cluster cart and others fail',
    '20% of the requests to 6 clusters fail (20% of all measured requests)',
    1,
    { noun: 'cluster', count: 6 },
  ]);
  expect(issue?.cause.map(({ text }) => text)).toEqual([
    ...names.slice(0, 5).map((name) => `${name}: 40 of 200 completed requests were errors`),
    '1 more cluster',
  ]);
});
