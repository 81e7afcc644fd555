import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { World } from '@/lib/observation/fold';
import type { ClusterLoad } from '@/lib/observation/observation';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { ClientQuestionName } from '@/lib/views/client-questions';
import { failoverQuestion } from '@/lib/views/failover/schema';
import { createAskClient } from '@/server/answers/ask-client';
import { CheckApi } from '@/server/answers/check/check-api';
import { createClientAnswers } from '@/server/answers/client-answers';
import { ClientHistoryAnswers } from '@/server/answers/client-history-answers';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { findChanges } from '@/server/answers/history/changes-api';
import { parseInput } from '@/server/answers/parse-input';
import { PermalinksApi } from '@/server/answers/permalinks/permalinks-api';
import { FailoverApi } from '@/server/answers/simulate-failover';
import { ClientRows } from '@/server/answers/subjects/client-rows';
import { type ClientRef, ClientSubjects } from '@/server/answers/subjects/client-subjects';
import { type KnownSettings, noSettings } from '@/server/answers/subjects/known-settings';
import { encodeBody } from '@/server/codec/encode-body';
import { Validator } from '@/server/compute/validate/document-validator';
import { MeasuredRequestsReader } from '@/server/live/issues/measured-requests';
import type { LiveStateOptions } from '@/server/live/live-state';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import type { Body } from '@/server/observe';
import { ClientAtCache } from '@/server/store/past/client-at-cache';
import { loadReported } from './builders/load-samples';
import { bodyOf, nodeOf, resourceOf } from './builders/recorder-emissions';
import type { MeshResource } from './builders/topology-mesh';
import { openLiveState } from './open-live-state';
import { openWholeRecorder } from './open-recorder';
import { ManualClock } from './recorder-manual-clock';
import { tempDataDir } from './recorder-temp-dir';

type CleanUp = () => Promise<unknown>;

/** Runs them in reverse order. */
async function cleanUpAll(cleanUps: CleanUp[]): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

/** One observed client with a real recorder and a real worker, which ends after the test. */
export async function startClientStory(...client: Parameters<typeof openClientStory>) {
  const story = await openClientStory(...client);
  onTestFinished(story.close);
  return story;
}

/** A story that several tests may share: the caller closes it. */
export async function openClientStory(
  reported: Partial<KnownSettings> = {},
  userAgent = { userAgentName: 'gRPC Go', userAgentVersion: '1' },
  onFolded?: LiveStateOptions['onFolded'],
) {
  const cleanUps: CleanUp[] = [];
  const dataDir = tempDataDir();
  const clock = new ManualClock();
  const recorder = await openWholeRecorder({ dataDir, clock });
  cleanUps.push(() => recorder.close());
  const freshnessOf: FreshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 });
  const world: World = new Map();
  const live = openLiveState(
    { clock, append: (emission) => recorder.append(emission), freshnessOf, onFolded },
    { world, newestSeq: 0 },
  );
  const graphs = new GraphBuilder({ recorder });
  cleanUps.push(() => graphs.close());
  const rows = new ClientRows({ live, freshnessOf });
  const findSettings = () => ({ ...noSettings, ...reported });
  const past = new ClientAtCache({ clock, recorder, findToday: (id) => live.world.get(id) });
  const subjects = new ClientSubjects({ clock, live, rows, past, freshnessOf, findSettings });
  const history = new ClientHistoryAnswers({ clock, live, recorder, graphs, subjects, findSettings });
  const validate = new Validator({ redactionKey: randomBytes(32), recorder });
  cleanUps.push(() => validate.close());
  let opened: Promise<LoadRecorder> | undefined;
  cleanUps.push(async () => (await opened)?.close());
  /** Opened by the first load report or permalink of a Load tab, because it takes a thread. */
  const openLoads = (): Promise<LoadRecorder> => {
    opened ??= LoadRecorder.open({ dataDir, clock });
    return opened;
  };
  const loads: Pick<LoadRecorder, 'excerpt'> = {
    excerpt: async (question) => (await openLoads()).excerpt(question),
  };
  const reportLoad = async (clusters: readonly ClusterLoad[]): Promise<void> => {
    (await openLoads()).observe(loadReported(clock.now(), clusters, { clientId: 'c' }));
  };
  const propagation = {
    compare: () => Promise.reject(new Error('expected no question about the propagation in this story')),
  };
  const permalinks = new PermalinksApi({
    ...{ clock, recorder, graphs, subjects, loads, propagation },
    findFailovers: async () => undefined,
  });
  const findSubject = (ref: ClientRef) =>
    'permalinkId' in ref ? permalinks.findSubject(ref.permalinkId) : subjects.find(ref.clientId, ref.at);
  const measured = new MeasuredRequestsReader({
    ...{ clock, live },
    loads: { read: async (...question) => (await openLoads()).read(...question) },
    requestsOf: () => undefined,
  });
  const measuredRequests: Pick<MeasuredRequestsReader, 'find' | 'findBreakers' | 'findStandstill'> = {
    find: async (...question) => (opened === undefined ? new Map() : measured.find(...question)),
    findBreakers: (clientId) => measured.findBreakers(clientId),
    findStandstill: (clientId) => measured.findStandstill(clientId),
  };
  const ask = createAskClient({
    findSubject,
    answers: createClientAnswers({ graphs, validate, recorder, propagation, measuredRequests }),
    recorded: {
      failovers: async (...input) => {
        const found = await history.failovers(...input);
        return found && found;
      },
      tears: (...input) => history.tears(...input),
      changes: (id, query) => findChanges(subjects, id, query),
    },
    stored: { failovers: async () => undefined },
  });
  const askOf =
    <Name extends ClientQuestionName>(name: Name) =>
    (clientId: string, { at, ...query }: { readonly at?: string; readonly [field: string]: unknown }) =>
      ask(name, { clientId, at }, query as never);
  const api = {
    find: askOf('resolved'),
    graph: askOf('graph'),
    tears: askOf('tears'),
    references: askOf('references'),
    lbTree: askOf('lb-tree'),
    explain: askOf('explain'),
    failovers: askOf('failovers'),
  };
  const simulator = new FailoverApi({ graphs, recorder, measuredRequests, findSubject });
  const parts = { live, subjects, graphs, dataDir, freshnessOf };
  const checks = new CheckApi({
    ...{ graphs, recorder, measuredRequests, live, findSettings, validate, findSubject },
  });
  const failover = {
    simulate: async (input: unknown) => simulator.simulate(parseInput(failoverQuestion, input)),
  };
  const observe = (
    changed: readonly MeshResource[],
    removed: readonly ResourceKey[] = [],
    vantage: 'csds' | 'probe' | 'dump' = 'csds',
    sourceId = `${vantage}:a:1`,
  ): void => {
    const at = clock.now();
    const bodies: Body[] = [];
    const states = changed.map(({ typeUrl, name, body, clientStatus }): ResourceState => {
      const own = body && bodyOf(encodeBody(typeUrl, body), typeUrl);
      if (own !== undefined) bodies.push(own);
      const status = clientStatus ?? (own === undefined ? 'REQUESTED' : 'ACKED');
      return resourceOf(name, { typeUrl, clientStatus: status, hash: own?.hash ?? null, changedAt: at });
    });
    live.observe({
      observation: {
        kind: 'client-config-changed',
        at,
        vantage,
        sourceId,
        clientId: 'c',
        side: 'client',
        node: { ...nodeOf('shop'), ...userAgent },
        scope: '',
        changed: states,
        removed,
      },
      bodies,
    });
  };
  const time = (): string => new Date(clock.now()).toISOString();
  /** Forgets the live clients, like a restart without their source. */
  const forget = () => world.clear();
  const close = () => cleanUpAll(cleanUps);
  return {
    ...{ clock, ask, api, checks, failover, permalinks, recorder, parts },
    ...{ observe, reportLoad, time, forget, close },
  };
}
