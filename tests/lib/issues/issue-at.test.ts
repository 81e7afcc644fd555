import { describe, expect, it } from 'vitest';
import { findIssueAt } from '@/lib/issues/issue-at';
import type { IssuePeriod, IssueRecord } from '@/lib/issues/issue-record';
import { EDS } from '@/lib/xds/resource-type';

function period(clientId: string, from: number, to: number | undefined): IssuePeriod {
  return {
    ...{ clientId, from, to, end: to === undefined ? undefined : 'repaired', fromSeq: 1, toSeq: null },
    ...{ versionInfo: '', keepsAccepted: null, resources: 1 },
  };
}

function recordOf(kind: IssueRecord['cause']['kind'], periods: readonly IssuePeriod[]): IssueRecord {
  return {
    id: 'id',
    cause: { kind, side: 'control-plane', typeUrl: EDS.typeUrl, name: '', text: '' },
    open: new Map(periods.filter(({ to }) => to === undefined).map((each) => [each.clientId, each])),
    ended: periods.filter(({ to }) => to !== undefined),
  };
}

/** Each waits for 10 seconds, one after the other, so that one of them waits at every time. */
const inTurn = [period('a', 0, 10_000), period('b', 9_000, 19_000), period('c', 18_000, undefined)];

describe('an issue that takes time', () => {
  it('is none while no client has it for long, however many have it in turn', () => {
    expect(findIssueAt(recordOf('unanswered', inTurn), 20_000)).toBeUndefined();
  });

  it('begins when one client has it for long', () => {
    const found = findIssueAt(recordOf('unanswered', inTurn), 40_000);
    expect(found).toMatchObject({ since: 0, resolvedAt: undefined });
    expect(found?.periods.map(({ clientId }) => clientId)).toEqual(['c']);
  });
});

it('an issue that takes time is one at once if a document reports it', () => {
  const ofDocument = { ...period('a', 19_000, undefined), isOfDocument: true } as const;
  expect(findIssueAt(recordOf('unserved', [ofDocument]), 19_000)).toMatchObject({ since: 19_000 });
  expect(findIssueAt(recordOf('unserved', [period('a', 19_000, undefined)]), 19_000)).toBeUndefined();
});

it('another issue begins at once, with the first of the clients whose times overlap', () => {
  const found = findIssueAt(recordOf('nack', inTurn), 20_000);
  expect(found).toMatchObject({ since: 0, resolvedAt: undefined });
});
