import { expect, it } from 'vitest';
import { describeImpact } from '@/lib/issues/describe-impact';
import type { Connection } from '@/lib/observation/connection';
import { buildIssue } from '@/lib/views/issues/build-issue';
import { LDS } from '@/lib/xds/resource-type';

const channel = (target: string, over: Partial<Connection>): Connection => ({
  ...{ id: target, kind: 'channel', target, channels: [], state: 'READY', since: 1_000, ...over },
});

/** The steps of the cause of an issue of resources without a response. */
function causeOf(channels: readonly Connection[], resolvedAt?: number): string[] {
  const cause = { kind: 'unreached', side: 'client', typeUrl: LDS.typeUrl, name: '', text: '' } as const;
  const period = {
    ...{ clientId: 'c1', from: 1_000, to: undefined, end: undefined, fromSeq: 1, toSeq: null },
    ...{ versionInfo: '', keepsAccepted: null, resources: 1 },
  };
  const issue = buildIssue({
    found: { record: { id: 'id', cause }, since: 1_000, resolvedAt, periods: [period] },
    ...{
      impact: describeImpact([], 1),
      assessed: 0,
      listener: null,
      mutedUntil: undefined,
      requests: undefined,
    },
    ...{ otherChannelsOf: () => channels, nodeIdOf: (id) => id, isProbe: () => false, clientsListed: 20 },
  });
  return issue.cause.map(({ text }) => text);
}

it('states the channels that may lead to the management server of a client without a response, failing ones first', () => {
  const failing = channel('dns:///xds:1', { state: 'TRANSIENT_FAILURE', lastError: 'no route to host' });
  expect(causeOf([channel('collector:4317', {}), failing])).toEqual([
    '1 LDS resource requested, without a response',
    'The channel to xds:1 is TRANSIENT_FAILURE: no route to host',
    'The channel to collector:4317 is READY',
  ]);
  expect(causeOf([failing], 9_000), 'of a resolved issue they are not known').toHaveLength(1);
});
