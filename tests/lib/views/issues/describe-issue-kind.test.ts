import { expect, it } from 'vitest';
import { impact } from '@/lib/issues/client-impact';
import type { IssueCause } from '@/lib/issues/issue-record';
import { possibleServer } from '@/lib/issues/read-issue-causes';
import { describeIssueKind, noHostInSubset, noUsableHost } from '@/lib/views/issues/describe-issue-kind';
import { CDS, LDS, SDS } from '@/lib/xds/resource-type';

const cause = (over: Partial<IssueCause>): IssueCause => ({
  ...{ kind: 'nack', side: 'client', typeUrl: CDS.typeUrl, name: 'cart', text: '', ...over },
});

it.each([
  [cause({}), 'Cluster cart is rejected'],
  [cause({ typeUrl: SDS.typeUrl, name: 'tls' }), 'Secret tls is rejected'],
  [cause({ kind: 'absent' }), 'Cluster cart does not exist'],
  [
    cause({ kind: 'unreachable', typeUrl: '', name: 'xds:18000' }),
    'Management server xds:18000 is unreachable',
  ],
  [
    cause({ kind: 'unreachable', typeUrl: '', name: 'xds:18000', rule: possibleServer }),
    'xds:18000 is unreachable, and may be the management server',
  ],
  [cause({ kind: 'unreachable', typeUrl: '', name: '' }), 'The management server is unreachable'],
  [cause({ kind: 'unreached', typeUrl: LDS.typeUrl, name: '' }), 'No response for LDS resources'],
  [cause({ kind: 'unserved', rule: noUsableHost }), 'Cluster cart has no usable host'],
  [
    cause({ kind: 'unserved', rule: noHostInSubset }),
    'Cluster cart has no usable host with the metadata that routes want',
  ],
  [cause({ kind: 'unserved' }), 'Cluster cart serves nothing'],
])('%o is titled as an SRE would say it, without the number of clients', (each, title) => {
  expect(describeIssueKind(each).title).toBe(title);
});

it('states what would be if no client is known to run the config', () => {
  const titleOf = (...hypothetical: boolean[]) =>
    describeIssueKind(
      cause({ kind: 'unserved' }),
      hypothetical.map((isHypothetical) => ({
        keepsAccepted: null,
        impact: impact('some-fail', { isHypothetical }),
      })),
    ).title;
  expect(titleOf(true, true)).toBe('Cluster cart would serve nothing');
  expect(titleOf(true, false)).toBe('Cluster cart serves nothing');
});

it('states the next step of a known bug that no release ends', () => {
  const nextStepOf = (rule: string) => describeIssueKind(cause({ kind: 'notice', rule })).nextStep;
  expect(nextStepOf('no-ejection-without-enforcement')).toMatch(/^Set enforcing_success_rate in/);
  expect(nextStepOf('nack-storm')).toMatch(/^Update the client/);
});

it('offers an earlier payload of a rejected resource only where one was accepted', () => {
  expect(describeIssueKind(cause({})).nextStep).toBe('Correct the rejected field on the management server.');
  expect(describeIssueKind(cause({}), [{ keepsAccepted: true }]).nextStep).toMatch(
    /, or send the payload again that was accepted.$/,
  );
});
