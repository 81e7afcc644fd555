import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebhookMessage } from '@/lib/views/issues/build-alert';
import type { Issue } from '@/lib/views/issues/schema';
import { ApiError } from '@/server/api-error';
import { alertsEntry, IssueAlerts } from '@/server/live/alerts/issue-alerts';
import { WebhookSender } from '@/server/live/alerts/webhook-sender';
import { parseWebhookUrl } from '@/server/live/alerts/webhook-url';
import { systemClock } from '@/server/observe';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { tempDataDir } from '../../../support/recorder-temp-dir';
import { openKept } from '../../../support/test-state';
import { waitUntil } from '../../../support/wait-until';
import { WebhookReceiver } from '../../../support/webhook-receiver';

function client(
  nodeId: string,
  kind: 'live' | 'probe' | 'imported' = 'live',
): Issue['clients']['items'][number] {
  return {
    clientId: `c-${nodeId}`,
    nodeId,
    isProbe: kind === 'probe',
    isImported: kind === 'imported',
    since: 0,
    until: undefined,
    end: undefined,
    versionInfo: '',
  };
}

const ofListener: Issue = {
  ...{ id: '0123456789abcdef', kind: 'absent', state: 'open', severity: 'critical' },
  title: 'Listener shop does not exist',
  resource: { typeUrl: 'x', service: 'LDS', name: 'shop' },
  ...{ since: Date.parse('2026-11-26T20:54:25.000Z'), resolvedAt: undefined, mutedUntil: undefined },
  impact: { level: 'all-fail', text: 'Every RPC of web to shop fails', reason: '', assessed: 1 },
  cause: [
    { step: 'push', text: 'LDS version 186', evidence: undefined },
    { step: 'change', text: 'This response does not contain it', evidence: undefined },
  ],
  clients: { total: 1, probes: 0, imported: 0, items: [client('web')] },
  ...{ requests: undefined, nextStep: 'Send it again.', evidence: [] },
};

async function start(maxWaiting?: number) {
  const receiver = new WebhookReceiver();
  const parsed = parseWebhookUrl(await receiver.listen());
  if (!parsed.ok) throw new Error(parsed.message);
  const sender = new WebhookSender({ clock: systemClock, url: parsed.url, maxWaiting });
  onTestFinished(() => sender.close());
  onTestFinished(() => void receiver.server.close());
  return { receiver, sender };
}

async function alertsOf(
  issues: () => readonly Issue[],
  send: (message: unknown) => void,
  dataDir = tempDataDir(),
  find = async (_id: string): Promise<Pick<Issue, 'state'>> => ({ state: 'resolved' }),
) {
  const clock = new ManualClock();
  const listOpen = async () => ({ items: [...issues()], restoring: false });
  const alerts = new IssueAlerts({
    clock,
    kept: await openKept(alertsEntry, dataDir),
    externalUrl: 'http://xdscope:3000',
    listOpen,
    find,
    send,
  });
  return { alerts, clock };
}

describe('IssueAlerts', () => {
  it('sends an issue without a known onset once, with the time of its first alert', async () => {
    const sent: unknown[] = [];
    const { alerts, clock } = await alertsOf(
      () => [{ ...ofListener, since: undefined }],
      (message) => sent.push(message),
    );
    await alerts.check();
    clock.advance(10_000);
    await alerts.check();
    expect(sent).toHaveLength(1);
  });

  it('continues with what another process sent after this one had started', async () => {
    const dataDir = tempDataDir();
    const [before, after]: unknown[][] = [[], []];
    let issues: Issue[] = [ofListener];
    const first = await alertsOf(
      () => issues,
      (message) => before?.push(message),
      dataDir,
    );
    const second = await alertsOf(
      () => issues,
      (message) => after?.push(message),
      dataDir,
    );
    await first.alerts.check();
    await second.alerts.check();
    expect([before?.length, after]).toEqual([1, []]);
    issues = [];
    await second.alerts.check();
    expect(after).toMatchObject([{ status: 'resolved' }]);
  });

  it("posts in the format of Alertmanager's webhooks, when an issue opens and when it is resolved", async () => {
    const { receiver, sender } = await start();
    let open: readonly Issue[] = [ofListener];
    const { alerts } = await alertsOf(
      () => open,
      (message) => sender.send(message),
    );
    await alerts.check();
    await alerts.check();
    open = [];
    await alerts.check();
    await waitUntil('both messages are sent', async () => sender.facts.sent === 2);
    const labels = {
      ...{ alertname: 'XdscopeIssue', issue: ofListener.id, kind: 'absent', severity: 'critical' },
      ...{ type: 'LDS', resource: 'shop' },
    };
    expect(receiver.received[0]).toEqual({
      version: '4',
      groupKey: '{}:{alertname="XdscopeIssue", issue="0123456789abcdef"}',
      truncatedAlerts: 0,
      status: 'firing',
      receiver: 'xdscope',
      groupLabels: { alertname: 'XdscopeIssue', issue: ofListener.id },
      commonLabels: labels,
      commonAnnotations: expect.objectContaining({ summary: 'Listener shop does not exist' }),
      externalURL: 'http://xdscope:3000',
      alerts: [
        {
          status: 'firing',
          labels,
          annotations: {
            summary: 'Listener shop does not exist',
            description: 'Every RPC of web to shop fails',
            cause: 'LDS version 186 -> This response does not contain it',
            clients: '1: web',
            next_step: 'Send it again.',
          },
          startsAt: '2026-11-26T20:54:25.000Z',
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: 'http://xdscope:3000/issues/0123456789abcdef',
          fingerprint: ofListener.id,
        },
      ],
    });
    expect(receiver.received[1]).toMatchObject({
      status: 'resolved',
      alerts: [{ status: 'resolved', startsAt: '2026-11-26T20:54:25.000Z', fingerprint: ofListener.id }],
    });
    expect(receiver.received[1]?.alerts[0]?.endsAt).not.toBe('0001-01-01T00:00:00Z');
    expect(sender.facts).toMatchObject({ sent: 2, waiting: 0, dropped: 0, problem: '' });
    expect(sender.facts.target).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it('sends no alert while only probes and files have the issue, and does not count them among its clients', async () => {
    const sent: WebhookMessage[] = [];
    const [web, probe, file] = [
      client('web'),
      client('xdscope-probe-a', 'probe'),
      client('dump', 'imported'),
    ];
    const states: Issue['clients'][] = [
      { total: 1, probes: 1, imported: 0, items: [probe] },
      { total: 1, probes: 0, imported: 1, items: [file] },
      { total: 3, probes: 1, imported: 1, items: [probe, file, web] },
      { total: 4, probes: 2, imported: 1, items: [probe, client('xdscope-probe-b', 'probe'), file, web] },
      { total: 2, probes: 1, imported: 1, items: [probe, file] },
    ];
    let clients: Issue['clients'] = { total: 0, probes: 0, imported: 0, items: [] };
    const { alerts } = await alertsOf(
      () => [{ ...ofListener, clients }],
      (message) => sent.push(message as WebhookMessage),
    );
    const counts: number[] = [];
    for (clients of states) {
      await alerts.check();
      counts.push(sent.length);
    }
    expect(counts).toEqual([0, 0, 1, 1, 2]);
    expect(sent.map(({ status, commonAnnotations }) => [status, commonAnnotations.clients])).toEqual([
      ['firing', '1: web'],
      ['resolved', '1: web'],
    ]);
  });

  it('is updated at once when the severity changes, and at intervals when the clients or the group do', async () => {
    const sent: WebhookMessage[] = [];
    let issue = ofListener;
    const { alerts, clock } = await alertsOf(
      () => [issue],
      (message) => sent.push(message as WebhookMessage),
    );
    const countAfter = async (change: Partial<Issue>, advanceMs: number): Promise<number> => {
      issue = { ...issue, ...change };
      clock.advance(advanceMs);
      await alerts.check();
      return sent.length;
    };
    const two = { total: 2, probes: 0, imported: 0, items: [client('web'), client('cart')] };
    expect(await countAfter({}, 0)).toBe(1);
    expect(await countAfter({ clients: two }, 5_000)).toBe(1);
    expect(await countAfter({ group: { noun: 'cluster', count: 3 } }, 5_000)).toBe(1);
    expect(await countAfter({}, 5 * 60_000)).toBe(2);
    expect(sent.at(-1)?.commonAnnotations).toMatchObject({ clients: '2: web, cart', group: '3 clusters' });
    expect(await countAfter({ severity: 'warning' }, 1)).toBe(3);
    expect(await countAfter({}, 5 * 60_000)).toBe(3);
  });

  it.each([
    ['resolved', undefined],
    ['ended', 'No source reports the client any more: whether the cause was repaired is not known'],
    ['muted', 'The issue is muted in xdscope'],
    [undefined, undefined],
  ] as const)('of an issue that is %s states at its end why it ended: %s', async (state, reason) => {
    const sent: WebhookMessage[] = [];
    let issues = [ofListener];
    const { alerts } = await alertsOf(
      () => issues,
      (message) => sent.push(message as WebhookMessage),
      tempDataDir(),
      async () => {
        if (state === undefined) throw new ApiError(404, 'Issue not found', '');
        return { state };
      },
    );
    await alerts.check();
    issues = [];
    await alerts.check();
    expect(sent.map(({ status, commonAnnotations }) => [status, commonAnnotations.end])).toEqual([
      ['firing', undefined],
      ['resolved', reason],
    ]);
  });

  it('resolves after a restart what ended meanwhile, and repeats what lasts', async () => {
    const dataDir = tempDataDir();
    const sent: string[] = [];
    const send = (message: unknown) => void sent.push((message as WebhookMessage).status);
    await (await alertsOf(() => [ofListener], send, dataDir)).alerts.check();
    const again = await alertsOf(() => [ofListener], send, dataDir);
    await again.alerts.check();
    expect(sent).toEqual(['firing']);
    again.clock.advance(4 * 3_600_000);
    await again.alerts.check();
    expect(sent).toEqual(['firing', 'firing']);
    await (await alertsOf(() => [], send, dataDir)).alerts.check();
    expect(sent).toEqual(['firing', 'firing', 'resolved']);
  });
});

describe('WebhookSender', () => {
  it('repeats what a receiver could not process, and gives up what it rejects', async () => {
    const { receiver, sender } = await start();
    receiver.statuses.push(503, 400);
    sender.send({ n: 1 });
    sender.send({ n: 2 });
    await waitUntil('the second message is sent', async () => sender.facts.sent === 1);
    expect(receiver.received).toEqual([{ n: 2 }]);
    expect(receiver.requests).toBe(3);
    expect(sender.facts).toMatchObject({ sent: 1, dropped: 1, waiting: 0 });
  });

  it('drops the oldest waiting messages, and states why nothing is sent', async () => {
    const { receiver, sender } = await start(2);
    receiver.statuses.push(500);
    for (let n = 1; n <= 5; n++) sender.send({ n });
    await waitUntil('the first attempt failed', async () => sender.facts.problem !== '');
    expect(sender.facts).toMatchObject({ sent: 0, dropped: 3, waiting: 2 });
    expect(sender.facts.problem).toContain('status 500');
  });

  it('does not dial an address that the dial policy rejects', async () => {
    const parsed = parseWebhookUrl('http://169.254.169.254/hook');
    if (!parsed.ok) throw new Error(parsed.message);
    const sender = new WebhookSender({ clock: systemClock, url: parsed.url });
    onTestFinished(() => sender.close());
    sender.send({});
    await waitUntil('it failed', async () => sender.facts.problem !== '');
    expect(sender.facts.problem).toContain('expected an address that may be dialled');
  });
});

describe('parseWebhookUrl', () => {
  it.each(['ftp://a/b', 'hook', 'http://user:secret@a/b', ''])('rejects %s', (text) => {
    expect(parseWebhookUrl(text)).toMatchObject({
      ok: false,
      message: expect.stringContaining('expected a URL'),
    });
  });
});
