import { expect, it } from 'vitest';
import { buildOwnIssues } from '@/lib/views/issues/build-own-issues';

const problem = { code: 'CONNECTION_REFUSED', message: 'xds:18000: connection refused', hint: '' };
const outage = (sourceKind: string, clients: number) => ({
  ...{ sourceId: 'source', from: 1_000, to: null, problem, sourceKind, clients },
  label: `${sourceKind} of xds:18000`,
});
const facts = { divergences: { pairs: [], items: [], total: 0 }, recorderStopped: undefined };

/** The kind, the title and the impact of the issue of a source that is down. */
function issueOf(sourceKind: string, clients: number): (string | undefined)[] {
  const [issue] = buildOwnIssues({
    ...facts,
    outages: [outage(sourceKind, clients)],
    idOf: (key) => key,
  });
  return [issue?.kind, issue?.title, issue?.impact.level, issue?.impact.text];
}

it('states that a tap cannot connect to its management server, and whom that concerns', () => {
  const title = 'tap of xds:18000 cannot connect to its management server';
  expect(issueOf('tap', 2)).toEqual([
    ...['unreachable', title, 'frozen'],
    'New config does not reach 2 clients of tap of xds:18000',
  ]);
  expect(issueOf('tap', 0)).toEqual([
    ...['unreachable', title, 'unknown'],
    'Not known: no client has connected through tap of xds:18000',
  ]);
});

it('states of another source that it does not answer', () => {
  expect(issueOf('csds', 2)).toEqual([
    ...['source-down', 'csds of xds:18000 does not answer', 'unknown'],
    'What csds of xds:18000 reported of 2 clients may be out of date',
  ]);
});
