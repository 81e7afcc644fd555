import { onTestFinished } from 'vitest';
import { ServerNames } from '@/lib/issues/server-names';
import type { Observation } from '@/lib/observation/observation';
import type { Source } from '@/lib/views/sources/schema';
import { CertificateChecks } from '@/server/answers/issues/certificate-checks';
import { ConfigChecks } from '@/server/answers/issues/config-checks';
import { ImpactAssessor } from '@/server/answers/issues/impact-assessor';
import { IssuesApi } from '@/server/answers/issues/issues-api';
import { OwnIssues } from '@/server/answers/issues/own-issues';
import { TapOutages } from '@/server/answers/issues/tap-outages';
import { CertificateReader } from '@/server/answers/resources/certificate-reader';
import { createCodec } from '@/server/codec/codec';
import { Differ } from '@/server/compute/diff/differ';
import { alertsEntry, IssueAlerts } from '@/server/live/alerts/issue-alerts';
import { WebhookSender } from '@/server/live/alerts/webhook-sender';
import { parseWebhookUrl } from '@/server/live/alerts/webhook-url';
import { ControlPlaneWatch } from '@/server/live/control-planes/control-plane-watch';
import { IssueStore, issueIdOf } from '@/server/live/issues/issue-store';
import { conditionsEntry, KnownConditions } from '@/server/live/issues/known-conditions';
import { KnownErrors, loadErrorsEntry, requestErrorsEntry } from '@/server/live/issues/known-errors';
import { LoadErrors } from '@/server/live/issues/load-errors';
import { MeasuredShare } from '@/server/live/issues/measured-share';
import { Mutes, mutesEntry } from '@/server/live/issues/mutes';
import { RequestErrors } from '@/server/live/issues/request-errors';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { VariantCheck } from '@/server/live/propagation/variant-check';
import type { ProbeSource } from '@/server/live/propagation/variant-pairs';
import { type Body, systemClock } from '@/server/observe';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openClientStory } from './client-story';
import { openKept } from './test-state';
import { waitUntil } from './wait-until';
import { WebhookReceiver } from './webhook-receiver';

interface IssueStoryOptions {
  readonly userAgent?: { readonly userAgentName: string; readonly userAgentVersion: string };
  readonly sources?: readonly Source[];
  readonly probes?: readonly ProbeSource[];
}

/** Everything between observations and the alerts that a webhook receives, with a clock that the test advances. */
export async function openIssueStory({ userAgent, sources = [], probes = [] }: IssueStoryOptions) {
  const store: { issues?: IssueStore } = {};
  const story = await openClientStory({}, userAgent, (observation) => void store.issues?.fold(observation));
  onTestFinished(story.close);
  const { clock, ask } = story;
  const { live, subjects, graphs, dataDir, freshnessOf } = story.parts;
  const issues = new IssueStore({ clock, publish: () => undefined });
  issues.restored(null);
  store.issues = issues;
  const loads = await LoadRecorder.open({ dataDir, clock });
  onTestFinished(() => loads.close());
  const codec = createCodec({ redactionKey: Buffer.from('tests') });
  onTestFinished(() => codec.close());
  const differ = new Differ({ recorder: story.recorder });
  onTestFinished(() => differ.close());
  const variants = new VariantCheck({
    ...{ clock, live, freshnessOf, differ, listProbes: () => probes, publish: () => undefined },
  });
  const recorder: { current: Pick<Recorder, 'stats'> } = { current: story.recorder };
  const serverNames = new ServerNames(issueIdOf);
  const parts = {
    ...{ clock, live, subjects, graphs, askClient: ask, issues, serverNames },
    recorder: { stats: () => recorder.current.stats() },
    registry: { find: (id: string) => sources.find((source) => source.id === id) },
    mutes: new Mutes(await openKept(mutesEntry, dataDir)),
  };
  const taps = new TapOutages(parts);
  const checks = new ConfigChecks({
    ...parts,
    known: new KnownConditions(await openKept(conditionsEntry, dataDir)),
  });
  const api = new IssuesApi({
    ...{ ...parts, taps, checks },
    isOfRun: () => false,
    assessor: new ImpactAssessor(parts),
    measured: new MeasuredShare(loads),
    certificates: new CertificateChecks({
      ...parts,
      certificates: new CertificateReader({
        ...{ live, recorder: story.recorder, codec },
        imports: { fileOf: () => undefined },
      }),
    }),
    own: new OwnIssues({
      ...{ ...parts, taps, runs: { hasSource: () => false } },
      variants: { list: async () => variants.list() },
      controlPlanes: new ControlPlaneWatch({ clock, recorder: story.recorder }),
      loadErrors: new LoadErrors(loads, new KnownErrors(await openKept(loadErrorsEntry, dataDir))),
      requestErrors: new RequestErrors({
        ...{ live, requestsOf: () => undefined },
        known: new KnownErrors(await openKept(requestErrorsEntry, dataDir)),
      }),
    }),
    findTime: async (moment) => Date.parse(moment),
  });
  const receiver = new WebhookReceiver();
  const parsed = parseWebhookUrl(await receiver.listen());
  onTestFinished(() => void receiver.server.close());
  if (!parsed.ok) throw new Error(parsed.message);
  const sender = new WebhookSender({ clock: systemClock, url: parsed.url });
  onTestFinished(() => sender.close());
  const sent: unknown[] = [];
  const alerts = new IssueAlerts({
    ...{ clock, kept: await openKept(alertsEntry, dataDir), externalUrl: 'http://xdscope:3000' },
    listOpen: () => api.list({ state: 'open', limit: 500 }),
    find: (id) => api.find(id, undefined),
    send(message) {
      sent.push(message);
      sender.send(message);
    },
  });
  const observe = (observation: Observation, bodies: readonly Body[] = []): void =>
    void live.observe({ observation, bodies: [...bodies] });
  /** Checks the config of every client, as it is now. */
  const checkConfig = async (): Promise<void> => {
    await story.recorder.flushed();
    const isDone = (): boolean => {
      const { checked, total, asOf } = checks.progress;
      return checked === total && (total === 0 || asOf === clock.now());
    };
    checks.records();
    await waitUntil('the config is checked', async () => {
      clock.advance(10_000);
      checks.records();
      await new Promise(setImmediate);
      return isDone();
    });
  };
  return {
    ...{ clock, codec, loads, recorder, receiver, api, observe },
    /** Lets time pass, in which config and probes are checked, and waits until all alerts are sent. */
    async settle(ms = 60_000): Promise<void> {
      await checkConfig();
      await variants.check();
      clock.advance(ms);
      await checkConfig();
      await variants.check();
      await alerts.check();
      await waitUntil('the alerts are sent', async () => receiver.received.length === sent.length);
    },
  };
}
