import { describe, expect, it } from 'vitest';
import type { ImpactLevel } from '@/lib/issues/client-impact';
import type { IssueCause } from '@/lib/issues/issue-record';
import { buildLoadIssue } from '@/lib/views/issues/build-load-issue';
import { addErrors, findExplanation } from '@/lib/views/issues/explain-errors';
import type { Issue } from '@/lib/views/issues/schema';
import { CDS, LDS } from '@/lib/xds/resource-type';

const errors = (clients: readonly string[], to?: number) =>
  buildLoadIssue({
    found: [
      {
        ...{ clusterName: 'cart', from: 1_000, to, measured: { errors: 10, completed: 10, ofAll: 10 } },
        ...{ clients, moreClients: 0 },
      },
    ],
    nodeIdOf: (id) => id,
    idOf: (key) => key,
    endOf: () => undefined,
  });

const ofErrors = (issue: Issue, target?: string) => ({ issue, subjects: [], target });

function assessed(cause: Partial<IssueCause>, level: ImpactLevel, clients = ['a', 'b'], resolvedAt?: number) {
  const periods = clients.map((clientId) => ({
    ...{ clientId, from: 1_000, to: undefined, end: undefined, fromSeq: 1, toSeq: null, versionInfo: '' },
    ...{ keepsAccepted: null, resources: 1 },
  }));
  const whole = {
    kind: 'unreachable',
    side: 'client',
    typeUrl: '',
    name: 'xds:1',
    text: '',
    ...cause,
  } as const;
  return { found: { record: { id: 'known', cause: whole }, since: 1_000, resolvedAt, periods }, level };
}

describe('failed requests', () => {
  const ofCluster = { kind: 'unserved', typeUrl: CDS.typeUrl, name: 'cart' } as const;

  it.each([
    ['nothing of the management server is in effect', assessed({}, 'all-fail'), 'known'],
    ['the last config is in effect', assessed({}, 'frozen'), undefined],
    ['the cluster serves nothing', assessed(ofCluster, 'some-fail'), 'known'],
    ['another cluster serves nothing', assessed({ ...ofCluster, name: 'web' }, 'some-fail'), undefined],
    [
      'an accepted payload of the cluster is in effect',
      assessed({ ...ofCluster, kind: 'nack' }, 'none'),
      undefined,
    ],
    ['another client has the issue', assessed({}, 'all-fail', ['b']), undefined],
    ['the issue is resolved', assessed({}, 'all-fail', ['a'], 9_000), undefined],
  ])('are explained or not where %s', (_, issue, expected) => {
    expect(findExplanation(ofErrors(errors(['a'])), [issue])).toBe(expected);
  });

  it.each([
    ['xds:///shop.example', 'shop.example', 'known'],
    ['xds:///shop.example', 'web.example', undefined],
    ['xds://authority/shop.example', 'shop.example', undefined],
  ])('of the target %s are explained or not by the missing listener %s', (target, name, expected) => {
    const ofListener = assessed({ kind: 'absent', typeUrl: LDS.typeUrl, name }, 'all-fail');
    expect(findExplanation(ofErrors(errors(['a']), target), [ofListener])).toBe(expected);
  });

  it('are a measure of the issue that explains them', () => {
    const minor = {
      ...errors(['a']),
      id: 'known',
      kind: 'unserved',
      severity: 'minor',
      cause: [],
      evidence: [],
    } as const;
    expect(addErrors({ ...minor, cause: [], evidence: [] }, [errors(['a'])])).toMatchObject({
      ...{ id: 'known', severity: 'critical', evidence: [{ label: 'Load' }] },
      cause: [{ text: '10 of 10 completed requests were errors' }],
    });
  });
});
