import { describe, expect, it } from 'vitest';
import { possibleServer } from '@/lib/issues/read-issue-causes';
import { assessServerIssue } from '@/lib/issues/server-impact';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { sampleResource } from '../../support/builders/observation-samples';

function row(over: Partial<ResourceRow> = {}): ResourceRow {
  return {
    ...sampleResource(),
    ...{ service: 'CDS', state: 'ACKED', sourceId: 'csds', side: 'client', answer: null, controlPlane: null },
    effect: { stage: 'active', versionInfo: '1', hash: 'aa', since: 1, evidence: 'csds', sourceId: 'csds' },
    ...over,
  };
}
const none = { effect: null, hash: null, versionInfo: '' } as const;
const accepted = row();
const requested = row({ ...none, typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'REQUESTED' });
const unreported = row({ ...none, clientStatus: 'UNKNOWN', doubt: 'not-recorded' });
const ofJava = row({ ...none, clientStatus: 'UNKNOWN' });
const ofPlane = row({ ...none, clientStatus: 'UNKNOWN', side: 'control-plane' });
const ofBootstrap = row({ isStatic: true });
const ownListener = row({ isStatic: true, typeUrl: LDS.typeUrl });
const document = row({ typeUrl: 'type.googleapis.com/envoy.admin.v3.ServerInfo' });
const waiting = { listener: 'shop', status: 'waiting', missing: [] } as const;

const unreachable = { kind: 'unreachable', typeUrl: '' } as const;
const unreached = { kind: 'unreached', typeUrl: LDS.typeUrl } as const;
const unanswered = { kind: 'unanswered', typeUrl: CDS.typeUrl } as const;

describe('assessServerIssue', () => {
  it.each([
    ['nothing was accepted', unreachable, [requested], [], 'all-fail'],
    ['grpc-java reports UNKNOWN before the first response', unreachable, [ofJava], [], 'all-fail'],
    ['an Envoy has only the cluster of its server', unreachable, [ofBootstrap, document], [], 'all-fail'],
    ['an Envoy has a listener of its bootstrap', unreachable, [ownListener], [], 'unknown'],
    ['the last config serves', unreachable, [accepted], [], 'frozen'],
    ['the last config is not complete', unreachable, [accepted], [waiting], 'all-fail'],
    ['what the client runs is not known', unreachable, [unreported], [], 'unknown'],
    ['it is not known to be the server', { ...unreachable, rule: possibleServer }, [accepted], [], 'unknown'],
    ['no row is reported', unreachable, [], [], 'unknown'],
    ['a part of the resources has no response', unreached, [accepted, requested], [], 'waits'],
    ['nothing has a response', unreached, [requested], [], 'all-fail'],
    ['an earlier payload was accepted', unanswered, [accepted], [], 'none'],
    [
      'the client reports that it accepted nothing',
      unanswered,
      [row({ ...none, clientStatus: 'REQUESTED' })],
      [],
      'waits',
    ],
    ['only the control plane reports the client', unanswered, [ofPlane], [], 'unknown'],
    ['another type was accepted', { ...unanswered, typeUrl: LDS.typeUrl }, [accepted], [], 'waits'],
  ] as const)('%s', (_, cause, rows, listeners, level) => {
    expect(assessServerIssue(cause, rows, listeners).level).toBe(level);
  });
});
