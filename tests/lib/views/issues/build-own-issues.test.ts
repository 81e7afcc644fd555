import { expect, it } from 'vitest';
import type { InstanceDifference } from '@/lib/control-planes/instance-comparison';
import { buildOwnIssues } from '@/lib/views/issues/build-own-issues';
import { CDS, LDS } from '@/lib/xds/resource-type';

type Outage = Parameters<typeof buildOwnIssues>[0]['outages'][number];

function outage(label: string, of: Partial<Outage> = {}): Outage {
  const problem = { code: 'CONNECTION_REFUSED', message: `${label}: connection refused`, hint: 'Start it.' };
  return {
    sourceId: `csds:${label}`,
    label,
    sourceKind: 'csds',
    clients: 0,
    ofServer: undefined,
    from: 1,
    to: null,
    problem,
    ...of,
  };
}

function issuesOf(outages: readonly Outage[], differences: readonly InstanceDifference[] = [], at = 0) {
  const divergences = { pairs: [], items: [], total: 0, at: 0 };
  const found = buildOwnIssues({
    ...{ outages, divergences, differences, recorderStopped: undefined, idOf: (key) => key },
    ...{ at, controlPlanes: at === 0 ? [] : [{ server: 'a:1', lastSpinAt: 1_000, fastestSpin: 887 }] },
  });
  return found.map(({ issue }) => issue);
}

/** The kind, the title and the impact of the issue of a tap without its server. */
function tapIssue(clients: number, ofServer?: string): (string | undefined)[] {
  const [issue] = issuesOf([outage('xds:18000', { sourceKind: 'tap', clients, ofServer })]);
  return [issue?.kind, issue?.title, issue?.impact.level, issue?.impact.text];
}

it('states that a tap cannot connect to its management server, or does not listen, and whom that concerns', () => {
  expect(tapIssue(2)).toEqual([
    ...['unreachable', 'tap xds:18000 does not listen', 'frozen'],
    'New config does not reach 2 clients of tap xds:18000',
  ]);
  expect(tapIssue(0, 'id of xds:18000')).toEqual([
    ...['unreachable', 'tap xds:18000 cannot connect to its management server', 'unknown'],
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
      '["source-down","csds:127.0.0.1:8"]',
      'istiod source 127.0.0.1:8 and others do not answer',
      0,
      [
        'istiod source 127.0.0.1:8: 127.0.0.1:0: no CSDS',
        ...[7, 6, 5, 4].map((port) => `CSDS source 127.0.0.1:${port}: connection refused`),
        '4 more sources',
      ],
    ],
  ]);
  expect(issues[0]?.group).toEqual({ noun: 'source', count: 9 });
  expect(issues[0]?.nextStep).toBe('Open each source: it states why it does not answer, and what to do.');
});

it('separates what has ended from what lasts', () => {
  const issues = issuesOf([outage('a'), outage('b', { to: 5 })]);
  expect(issues.map(({ state, title }) => [state, title])).toEqual([
    ['open', 'CSDS source a does not answer'],
    ['resolved', 'CSDS source b does not answer'],
  ]);
});

it('states that two instances of a control plane send a node different resources, until they agree', () => {
  const difference: InstanceDifference = {
    ...{ kind: 'resources', nodeId: 'edge', typeUrl: CDS.typeUrl, since: 7 },
    ...{ servers: ['a:1', 'b:1'], versions: ['1', ''] },
    ...{ onlyFirst: ['y'], onlySecond: [], differing: ['x'] },
  };
  const ofVersions = { ...difference, kind: 'versions', onlyFirst: [], differing: [] } as const;
  const ended = { ...difference, typeUrl: LDS.typeUrl, until: 9 };
  const [issue, ...others] = issuesOf([], [difference, ended, ofVersions]);
  expect(others).toEqual([]);
  expect(issue).toMatchObject({
    ...{ kind: 'divergence', state: 'open', since: 7 },
    title: 'a:1 and b:1 send different resources to the node edge',
    cause: [{ text: 'CDS of edge: only a:1 sends y; x differs (versions 1 and none)' }],
  });
});

it('states that a server repeats a response, for an hour after the newest one', () => {
  expect(issuesOf([], [], 3_601_000)).toMatchObject([
    {
      ...{ kind: 'spin', state: 'open', title: 'a:1 repeats a response that has not changed' },
      cause: [{ text: expect.stringContaining('Up to 887 responses in a row') }],
    },
  ]);
  expect(issuesOf([], [], 3_601_001)).toEqual([]);
});
