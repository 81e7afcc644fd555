import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ClientProgram, labClient } from '@/server/lab/interop-runs/client-program';
import { describeBuilt } from '@/server/lab/interop-runs/find-client-programs';
import { cCore } from './c-core/peer';
import { missingTools, preparePeer } from './cache';
import { chapters, crossing, furtherChapters, namedChapters } from './chapters';
import { chapter as connections, runConnections } from './connections/run';
import { startScriptedServer } from './control-plane';
import { runEcdsStory } from './ecds-story';
import { chapter as endpointChoice, runEndpointChoice } from './endpoint-choice/run';
import { envoy } from './envoy/peer';
import { runEnvoyAnswers, chapter as sampledAnswers } from './envoy-answers/sample';
import { envoyGateway } from './envoy-gateway/peer';
import { runGatewayStory } from './envoy-gateway/story';
import { goControlPlane } from './go-control-plane/peer';
import { grpcGo } from './grpc-go/peer';
import { grpcJava } from './grpc-java/peer';
import { grpcJsXds } from './grpc-js-xds/peer';
import { interopPeers } from './interop/programs';
import { runInteropCases } from './interop/story';
import { istio } from './istio/peer';
import { runIstioStory } from './istio/story';
import { javaControlPlane } from './java-control-plane/peer';
import { chapter as loadBalancing, runLoadBalancing } from './load-balancing/run';
import type { Chapter } from './moments';
import type { ClientPeer, ControlPlanePeer, Peer, Prepared } from './peer';
import { runProbeStory } from './probe-story';
import { chapter as requestErrors, runRequestErrors } from './request-errors/run';
import { chapter as grpcRequests, runGrpcRequests } from './requests/grpc-run';
import { firstSeed, chapter as requests, runRequests } from './requests/run';
import { runRestStory } from './rest-story';
import { Results } from './results';
import { runChapter } from './run-chapter';
import { runServerChecks } from './server-checks-story';
import { runFileStatements } from './statements/file-run';
import { chapter as grpcStatements, runGrpcStatements } from './statements/grpc-run';
import { runLoadStatements } from './statements/load-run';
import { runStatements, chapter as statements } from './statements/run';
import type { StoryOptions } from './story';
import { runSubscriptionsStory, chapter as subscriptions } from './subscriptions-story';
import { runUnreachable, chapter as unreachable } from './unreachable/run';
import { runVerdicts, chapter as verdicts } from './verdicts/run';

const clients: readonly ClientPeer[] = [envoy, grpcGo, cCore, grpcJava, grpcJsXds];
const controlPlanes: readonly ControlPlanePeer[] = [goControlPlane, javaControlPlane];
const crossed: readonly ClientPeer[] = [envoy, grpcGo];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    istio: { type: 'boolean', default: false },
    'envoy-gateway': { type: 'boolean', default: false },
    interop: { type: 'boolean', default: false },
    chapter: { type: 'string', multiple: true },
    resource: { type: 'string' },
    seed: { type: 'string' },
    'idle-minutes': { type: 'string' },
    out: { type: 'string' },
    'save-server-checks': { type: 'boolean', default: false },
    'save-interop-runs': { type: 'boolean', default: false },
    // tests/peers.mjs has run these by Vitest.
    'stories-passed': { type: 'string', default: '0' },
    'story-failed': { type: 'string', multiple: true, default: [] },
  },
});
const isOfFurther = values.istio || values['envoy-gateway'] || values.interop;
const idleMs = Number(values['idle-minutes'] ?? (values.full ? 10 : 1)) * 60_000;
const begin = Date.now();
const workDir = values.out ?? mkdtempSync(path.join(os.tmpdir(), 'xdscope-peers-'));
mkdirSync(workDir, { recursive: true });
const results = new Results();
const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`logs: ${workDir}`);

const hasFurther = values.full || values.chapter !== undefined;
const scripted = [
  ...chapters,
  ...(hasFurther ? furtherChapters : []),
  ...(values.chapter === undefined ? [] : namedChapters),
];
const tasks: (() => Promise<void>)[] = [];
const servers = new Map<ControlPlanePeer, Prepared>();
for (const peer of clients) {
  const versions = chosenOf(peer);
  if (versions.length === 0 || hasMissingTools(peer)) continue;
  for (const version of versions) {
    const prepared = await prepare(peer, version);
    // The model is of the newest gRPC clients. Earlier versions run when the chapter is named.
    const isModelled = peer.flavor === 'envoy' || version === peer.versions[0];
    if (values.chapter?.includes(loadBalancing) ?? isModelled) {
      tasks.push(() => runLoadBalancing({ peer, prepared, workDir, results, print }));
    }
    if (values.chapter?.includes(connections) ?? true) {
      tasks.push(() => runConnections({ peer, prepared, workDir, results, print }));
    }
    if (values.chapter?.includes(unreachable) ?? true) {
      tasks.push(() => runUnreachable({ peer, prepared, workDir, results, print }));
    }
    if (values.chapter?.includes(verdicts) ?? peer.versions[0] === version) {
      const { full: isFull, resource: only } = values;
      tasks.push(() => runVerdicts({ peer, prepared, workDir, isFull, only, results, print }));
    }
    if (
      peer.flavor === 'grpc' &&
      (values.chapter?.includes(grpcStatements) ?? peer.versions[0] === version)
    ) {
      tasks.push(() => runGrpcStatements({ peer, prepared, workDir, results, print }));
    }
    if (peer.flavor === 'grpc' && (values.chapter?.includes(grpcRequests) ?? peer.versions[0] === version)) {
      for (const seed of requestSeeds(34)) {
        const ofSeed = path.join(workDir, `seed-${seed}`);
        tasks.push(() => runGrpcRequests({ peer, prepared, workDir: ofSeed, seed, results, print }));
      }
    }
    for (const protocol of peer.protocols.slice(0, values.full ? 2 : 1)) {
      const options = { peer, prepared, protocol, workDir, idleMs };
      planStory({ ...options, server: 'scripted', startServer: startScriptedServer }, scripted);
      if (version === peer.versions[0] && crossed.includes(peer)) await planCrossings(options);
    }
  }
}

const isProbeChosen = positionals.length === 0 ? values.full || !isOfFurther : positionals.includes('probe');
if (isProbeChosen && values.chapter === undefined && !controlPlanes.some(hasMissingTools)) {
  const [go, java] = await Promise.all(
    [goControlPlane, javaControlPlane].map((server) => prepare(server, server.versions[0] ?? '')),
  );
  if (go !== undefined && java !== undefined) {
    tasks.unshift(() => runProbeStory({ go, java, workDir, results, print }));
    const isSaved = values['save-server-checks'];
    tasks.unshift(() => runServerChecks({ go, java, isSaved, workDir, results, print }));
  }
}

const isRestChosen = positionals.length === 0 ? values.full || !isOfFurther : positionals.includes('rest');
if (isRestChosen && values.chapter === undefined && !hasMissingTools(envoy)) {
  const prepared = await prepare(envoy, envoy.versions[0] ?? '');
  tasks.unshift(() => runRestStory({ envoy: prepared, workDir, results, print }));
}

const isSubscriptionsChosen =
  values.chapter?.includes(subscriptions) ??
  (positionals.length === 0 ? values.full || !isOfFurther : positionals.includes(subscriptions));
if (isSubscriptionsChosen && !hasMissingTools(envoy)) {
  const prepared = await prepare(envoy, envoy.versions[0] ?? '');
  tasks.unshift(() => runSubscriptionsStory({ envoy: prepared, workDir, results, print }));
}

const isStatementsChosen =
  values.chapter?.includes(statements) ?? (positionals.length === 0 && (values.full || !isOfFurther));
if (isStatementsChosen && !hasMissingTools(envoy)) {
  for (const version of chosenOf(envoy)) {
    const prepared = await prepare(envoy, version);
    const isWhole = values.full === true || values.chapter !== undefined;
    const options = { prepared, workDir, only: values.resource, isWhole, results, print };
    tasks.unshift(
      () => runStatements(options),
      () => runFileStatements(options),
    );
    if (values.resource === undefined || values.resource.includes('load'))
      tasks.unshift(() => runLoadStatements({ prepared, workDir, results, print }));
  }
}

const isSampleChosen =
  values.chapter?.includes(sampledAnswers) ?? (positionals.length === 0 && (values.full || !isOfFurther));
if (isSampleChosen && !hasMissingTools(envoy)) {
  for (const version of envoy.versions) {
    const prepared = await prepare(envoy, version);
    tasks.push(() => runEnvoyAnswers({ prepared, workDir, seed: Number(values.seed ?? 42), results, print }));
  }
}

const isRequestsChosen =
  values.chapter?.includes(requests) ?? (positionals.length === 0 && (values.full || !isOfFurther));
if (isRequestsChosen && !hasMissingTools(envoy)) {
  for (const version of chosenOf(envoy)) {
    const prepared = await prepare(envoy, version);
    for (const seed of requestSeeds(version === envoy.versions[0] ? 31 : 1))
      tasks.push(() => runRequests({ prepared, workDir, seed, results, print }));
  }
}

const isChoiceChosen =
  values.chapter?.includes(endpointChoice) ?? (positionals.length === 0 && (values.full || !isOfFurther));
if (isChoiceChosen && !hasMissingTools(envoy)) {
  const prepared = await prepare(envoy, envoy.versions[0] ?? '');
  tasks.push(() => runEndpointChoice({ prepared, workDir, results, print }));
}

const isRequestErrorsChosen =
  values.chapter?.includes(requestErrors) ?? (positionals.length === 0 && (values.full || !isOfFurther));
if (isRequestErrorsChosen && !hasMissingTools(envoy)) {
  const prepared = await prepare(envoy, envoy.versions[0] ?? '');
  tasks.unshift(() => runRequestErrors({ prepared, workDir, results, print }));
}

const isEcdsChosen = positionals.length === 0 ? values.full || !isOfFurther : positionals.includes('ecds');
if (isEcdsChosen && values.chapter === undefined && ![envoy, goControlPlane].some(hasMissingTools)) {
  const prepared = await prepare(envoy, envoy.versions[0] ?? '');
  const go = await prepare(goControlPlane, goControlPlane.versions[0] ?? '');
  tasks.unshift(() => runEcdsStory({ go, envoy: prepared, workDir, results, print }));
}

const isInteropChosen =
  values.interop ||
  (positionals.length === 0 ? values.full || !isOfFurther : positionals.includes('interop'));
if (isInteropChosen && values.chapter === undefined) {
  const chosen = interopPeers.filter(({ isUsual }) => isUsual || values.interop);
  const programs: ClientProgram[] = [labClient()];
  for (const { name, peer } of chosen) {
    if (hasMissingTools(peer)) continue;
    for (const version of peer.versions.slice(0, values.interop ? peer.versions.length : 1))
      programs.push(describeBuilt(name, version, (await prepare(peer, version)).dir));
  }
  const isSaved = values['save-interop-runs'];
  tasks.unshift(() =>
    runInteropCases({ programs, isWhole: values.interop, isSaved, workDir, results, print }),
  );
}

const further = [
  { peer: istio, run: runIstioStory, isChosen: values.istio },
  { peer: envoyGateway, run: runGatewayStory, isChosen: values['envoy-gateway'] },
];
/** Peers that are prepared in minutes, each of which starts Envoys of its own. */
for (const { peer, run, isChosen } of further) {
  if (!isChosen || hasMissingTools(peer) || hasMissingTools(envoy)) continue;
  const controlPlane = await prepare(peer, peer.versions[0] ?? '');
  const prepared = await prepare(envoy, envoy.versions[0] ?? '');
  tasks.push(async () => {
    const begin = Date.now();
    const areChecksSaved = values['save-server-checks'];
    await run({ controlPlane, envoy: prepared, workDir, idleMs, areChecksSaved, results, print });
    print(`${peer.name}: ${seconds(begin)}`);
  });
}

/** Chapters mostly wait, so that several run at a time. */
const atOnce = 3;
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let next = tasks.shift(); next !== undefined; next = tasks.shift()) await next();
  }),
);

/** `whole`: how many with `--full`. */
function requestSeeds(whole: number): number[] {
  const first = Number(values.seed ?? firstSeed);
  return Array.from({ length: values.full ? whole : 1 }, (_, at) => first + at);
}

async function prepare(peer: Peer, version: string): Promise<Prepared> {
  const begin = Date.now();
  const prepared = await preparePeer(peer, version);
  print(`${peer.name} ${version}: prepared in ${seconds(begin)}`);
  return prepared;
}

/**
 * Without names, the newest version of every peer is chosen; `--full` means all versions, `--istio` or
 * `--envoy-gateway` alone means no others. `name@version` can be any release.
 */
function chosenOf({ name, versions }: ClientPeer): string[] {
  const usual = versions.slice(0, values.full ? versions.length : 1);
  if (positionals.length === 0) return values.full || !isOfFurther ? usual : [];
  const named = positionals.filter((each) => each.startsWith(`${name}@`));
  return [
    ...new Set([
      ...(positionals.includes(name) ? usual : []),
      ...named.map((each) => each.slice(name.length + 1)),
    ]),
  ];
}

/** Every control plane with one Envoy and one gRPC-Go. */
async function planCrossings(
  options: Omit<StoryOptions, 'isKnown' | 'server' | 'startServer'>,
): Promise<void> {
  for (const server of controlPlanes) {
    if (hasMissingTools(server)) continue;
    const prepared = servers.get(server) ?? (await prepare(server, server.versions[0] ?? ''));
    servers.set(server, prepared);
    const startServer: StoryOptions['startServer'] = (from) => server.start(prepared, from);
    const withRemoval = options.peer.flavor === 'envoy' || server.answersRemoval;
    planStory({ ...options, server: `${server.name} ${prepared.version}`, startServer }, [
      crossing({ withRemoval }),
    ]);
  }
}

/** Reports what is missing. */
function hasMissingTools(peer: Peer): boolean {
  const missing = missingTools(peer);
  if (missing.length > 0) results.skip(peer.name, `${missing.join(', ')} not found`);
  return missing.length > 0;
}

function planStory(options: Omit<StoryOptions, 'isKnown'>, planned: readonly Chapter[]): void {
  const { peer, prepared, protocol, server } = options;
  const title = `${peer.name} ${prepared.version} ${protocol} ${server}`;
  for (const chapter of planned) {
    if ((chapter.only ?? peer.flavor) !== peer.flavor) continue;
    if (chapter.peers?.test(`${peer.name} ${prepared.version}`) === false) continue;
    if (values.chapter !== undefined && !values.chapter.includes(chapter.name)) continue;
    tasks.push(async () => {
      const begin = Date.now();
      await runChapter(chapter, options, results, print);
      print(`${title} ${chapter.name}: ${seconds(begin)}`);
    });
  }
}

function seconds(begin: number): string {
  return `${((Date.now() - begin) / 1_000).toFixed(1)} s`;
}

const isWhole =
  positionals.length === 0 &&
  (values.full || !isOfFurther) &&
  values.chapter === undefined &&
  !results.hasSkipped;
if (isWhole) results.judgeWhole();
writeFileSync(path.join(workDir, 'matrix.json'), JSON.stringify(results.toJson(), null, 2));
for (const line of results.lines()) print(line);
print(`all chapters: ${seconds(begin)}`);
const failures = [...values['story-failed'].map((failure) => `FAILED ${failure}`), ...results.failures];
for (const failure of failures) print(failure);
const passed = results.passed + Number(values['stories-passed']);
const failed = failures.length;
print(`${passed} passed, ${failed} failed`);
// Sockets of peers that were killed may still be open.
process.exit(failed === 0 && passed > 0 ? 0 : 1);
