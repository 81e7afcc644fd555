import { expect, it } from 'vitest';
import { describeImpact } from '@/lib/issues/describe-impact';
import type { IssueEnd } from '@/lib/issues/issue-record';
import type { Connection } from '@/lib/observation/connection';
import { buildIssue } from '@/lib/views/issues/build-issue';
import { LDS } from '@/lib/xds/resource-type';

const channel = (target: string, over: Partial<Connection>): Connection => ({
  ...{ id: target, kind: 'channel', target, channels: [], state: 'READY', since: 1_000, ...over },
});

interface End {
  readonly to: number;
  readonly end: IssueEnd;
}

/** An issue of resources without a response. */
function issueOf(channels: readonly Connection[], ends: readonly End[] = []) {
  const resolvedAt = ends.length === 0 ? undefined : Math.max(...ends.map(({ to }) => to));
  const cause = { kind: 'unreached', side: 'client', typeUrl: LDS.typeUrl, name: '', text: '' } as const;
  const period = {
    ...{ clientId: 'c1', from: 1_000, to: undefined, end: undefined, fromSeq: 1, toSeq: null },
    ...{ versionInfo: '', keepsAccepted: null, resources: 1 },
  };
  const issue = buildIssue({
    found: {
      ...{ record: { id: 'id', cause }, since: 1_000, resolvedAt },
      periods: ends.length === 0 ? [period] : ends.map((end) => ({ ...period, ...end })),
    },
    ...{
      impact: describeImpact([], 1),
      assessed: 0,
      listener: null,
      mutedUntil: undefined,
      requests: undefined,
    },
    ...{
      otherChannelsOf: () => channels,
      nodeIdOf: (id) => id,
      isProbe: () => false,
      isImported: () => false,
      clientsListed: 20,
      unobservedSince: () => undefined,
    },
  });
  return issue;
}

function causeOf(channels: readonly Connection[], ends?: readonly End[]): string[] {
  return issueOf(channels, ends).cause.map(({ text }) => text);
}

it('states the channels that may lead to the management server of a client without a response, failing ones first', () => {
  const failing = channel('dns:///xds:1', { state: 'TRANSIENT_FAILURE', lastError: 'no route to host' });
  expect(causeOf([channel('collector:4317', {}), failing])).toEqual([
    '1 LDS resource requested, without a response',
    'The channel to xds:1 is TRANSIENT_FAILURE: no route to host',
    'The channel to collector:4317 is READY',
  ]);
  expect(
    causeOf([failing], [{ to: 9_000, end: 'repaired' }]),
    'of a resolved issue they are not known',
  ).toHaveLength(1);
});

it.each<[string, End[], string]>([
  ['a repair', [{ to: 9_000, end: 'repaired' }], 'resolved'],
  ['a removal', [{ to: 9_000, end: 'removed' }], 'resolved'],
  ['a client that is no longer reported', [{ to: 9_000, end: 'gone' }], 'ended'],
  [
    'a repair after a client went away',
    [
      { to: 5_000, end: 'gone' },
      { to: 9_000, end: 'repaired' },
    ],
    'resolved',
  ],
  [
    'the last client, which is no longer reported, after a repair at another one',
    [
      { to: 5_000, end: 'repaired' },
      { to: 9_000, end: 'gone' },
    ],
    'ended',
  ],
])('the state after %s', (_, ends, state) => {
  expect(issueOf([], ends).state).toBe(state);
});
