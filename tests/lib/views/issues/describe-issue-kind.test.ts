import { expect, it } from 'vitest';
import type { IssueCause } from '@/lib/issues/issue-record';
import { describeIssueKind, noUsableHost } from '@/lib/views/issues/describe-issue-kind';
import { CDS, LDS, SDS } from '@/lib/xds/resource-type';

const cause = (over: Partial<IssueCause>): IssueCause => ({
  ...{ kind: 'nack', side: 'client', typeUrl: CDS.typeUrl, name: 'cart', text: '', ...over },
});

it.each([
  [cause({}), false, 'Cluster cart is rejected by 2 clients'],
  [cause({ typeUrl: SDS.typeUrl, name: 'tls' }), true, 'Secret tls is rejected by 2 clients from the start'],
  [
    cause({ kind: 'unreachable', typeUrl: '', name: 'xds:18000' }),
    false,
    'Management server xds:18000 is unreachable for 2 clients',
  ],
  [
    cause({ kind: 'unreachable', typeUrl: '', name: '' }),
    false,
    'The management server is unreachable for 2 clients',
  ],
  [
    cause({ kind: 'unreached', typeUrl: LDS.typeUrl, name: '' }),
    false,
    '2 clients have no response for LDS resources',
  ],
  [cause({ kind: 'unserved', rule: noUsableHost }), false, 'Cluster cart has no usable host at 2 clients'],
  [cause({ kind: 'unserved' }), false, 'Cluster cart serves nothing at 2 clients'],
])('%o is titled as an SRE would say it', (each, isFromStart, title) => {
  expect(describeIssueKind(each, 2, isFromStart).title).toBe(title);
});
