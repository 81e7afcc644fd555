import { expect, it } from 'vitest';
import { buildOwnIssues } from '@/lib/views/issues/build-own-issues';

type Outage = Parameters<typeof buildOwnIssues>[0]['outages'][number];

function outage(label: string, of: Partial<Outage> = {}): Outage {
  const problem = { code: 'CONNECTION_REFUSED', message: `${label}: connection refused`, hint: 'Start it.' };
  return {
    sourceId: `csds:${label}`,
    label,
    sourceKind: 'csds',
    clients: 0,
    from: 1,
    to: null,
    problem,
    ...of,
  };
}

function issuesOf(outages: readonly Outage[]) {
  const divergences = { pairs: [], items: [], total: 0, at: 0 };
  return buildOwnIssues({ outages, divergences, recorderStopped: undefined, idOf: (key) => key });
}

/** The kind, the title and the impact of the issue of a tap without its server. */
function tapIssue(clients: number): (string | undefined)[] {
  const [issue] = issuesOf([outage('xds:18000', { sourceKind: 'tap', clients })]);
  return [issue?.kind, issue?.title, issue?.impact.level, issue?.impact.text];
}

it('states that a tap cannot connect to its management server, and whom that concerns', () => {
  const title = 'tap xds:18000 cannot connect to its management server';
  expect(tapIssue(2)).toEqual([
    ...['unreachable', title, 'frozen'],
    'New config does not reach 2 clients of tap xds:18000',
  ]);
  expect(tapIssue(0)).toEqual([
    ...['unreachable', title, 'unknown'],
    'Not known: no client has connected through tap xds:18000',
  ]);
});

it('names the kind of a single source, with its clients', () => {
  const [issue] = issuesOf([outage('127.0.0.1:1', { sourceKind: 'envoy-admin', clients: 2 })]);
  expect([issue?.title, issue?.impact.text, issue?.nextStep]).toEqual([
    'Envoy admin source 127.0.0.1:1 does not answer',
    'What Envoy admin source 127.0.0.1:1 reported of 2 clients may be out of date',
    'Start it.',
  ]);
});

it('is one issue for all sources that do not answer, whatever their kind and problem', () => {
  const problem = { code: 'UNIMPLEMENTED', message: '127.0.0.1:0: no CSDS', hint: 'Choose another kind.' };
  const outages = [7, 6, 5, 4, 3, 2, 1, 0].map((port) => outage(`127.0.0.1:${port}`, { from: 10 - port }));
  const issues = issuesOf([...outages, outage('127.0.0.1:8', { from: 0, sourceKind: 'istiod', problem })]);
  expect(
    issues.map(({ id, title, since, cause }) => [id, title, since, cause.map(({ text }) => text)]),
  ).toEqual([
    [
      'source-down',
      '9 sources do not answer',
      0,
      [
        'istiod source 127.0.0.1:8: 127.0.0.1:0: no CSDS',
        ...[7, 6, 5, 4].map((port) => `CSDS source 127.0.0.1:${port}: connection refused`),
        '4 more sources',
      ],
    ],
  ]);
  expect(issues[0]?.nextStep).toBe('Open each source: it states why it does not answer, and what to do.');
});

it('separates what has ended from what lasts', () => {
  const issues = issuesOf([outage('a'), outage('b', { to: 5 })]);
  expect(issues.map(({ state, title }) => [state, title])).toEqual([
    ['open', 'CSDS source a does not answer'],
    ['resolved', 'CSDS source b does not answer'],
  ]);
});
