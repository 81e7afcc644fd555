import type { CheckResult } from '@/lib/server-checks/server-check';
import { verdictOf } from '@/lib/server-checks/server-check';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { grpcTransport } from '../../collect/xds/stream/grpc-transport';
import type { Clock } from '../../observe';
import type { ServerConfig } from '../../transport/bootstrap/server-config';
import { shortened } from './check-messages';
import {
  type AdapterFeature,
  CheckError,
  CheckRun,
  type ConfigAdapter,
  describeWholeOnly,
  type NamedResources,
  type RunnableCheck,
  type ServedNames,
} from './check-run';
import { deltaChecks } from './delta-checks';
import { deltaFeatureChecks } from './delta-feature-checks';
import { resetConfig } from './served-config';
import { sotwChecks } from './sotw-checks';
import { streamChecks } from './stream-checks';
import { transportChecks } from './transport-checks';

export const serverChecks: readonly RunnableCheck[] = [
  ...sotwChecks,
  ...streamChecks,
  ...deltaChecks,
  ...deltaFeatureChecks,
  ...transportChecks,
];

export interface CheckSubject {
  readonly server: ServerConfig;
  readonly clock: Clock;
  /** envoy.config.core.v3.Node of the streams in proto3 JSON, by the id of the check. */
  readonly nodeOf: (checkId: string) => Readonly<Record<string, unknown>>;
  /** Absent: the server is only read. */
  readonly adapter?: ConfigAdapter;
  /** Checks that reject a response are run. */
  readonly mayReject: boolean;
}

const connectTimeoutMs = 10_000;

/** Runs the checks one after the other. Throws CheckError if the server does not answer. */
export async function* checkEach(
  subject: CheckSubject,
  checks: readonly RunnableCheck[],
): AsyncGenerator<CheckResult, undefined> {
  const { adapter } = subject;
  const transport = openTransport(subject);
  try {
    const reset = () => (adapter === undefined ? undefined : resetConfig(adapter.replace));
    const names = await measureNames(subject, transport, await reset());
    for (const check of checks) {
      await reset();
      yield await runCheck(subject, transport, check, names);
    }
  } finally {
    transport.close();
  }
}

/** Runs the checks, and calls back after each. Rejects as checkEach() throws. */
export async function runChecks(
  subject: CheckSubject,
  checks: readonly RunnableCheck[] = serverChecks,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for await (const result of checkEach(subject, checks)) {
    results.push(result);
    onResult(result);
  }
  return results;
}

function openTransport({ server, clock }: CheckSubject, keepaliveMs?: number) {
  return grpcTransport({ server, clock, connectTimeoutMs, keepaliveMs });
}

async function runCheck(
  subject: CheckSubject,
  transport: ReturnType<typeof grpcTransport>,
  runnable: RunnableCheck,
  names: ServedNames,
): Promise<CheckResult> {
  const { clock, nodeOf, adapter, mayReject } = subject;
  const { run, needs: _, features: __, ...check } = runnable;
  const why = whyNotAsked(runnable, names, adapter, mayReject);
  if (why !== undefined) return { ...check, verdict: 'not-asked', seen: why, messages: [], tookMs: 0 };
  const session = new CheckRun({
    ...{ transport, node: nodeOf(check.id), clock, names, adapter },
    openTransport: (keepaliveMs) => openTransport(subject, keepaliveMs),
  });
  try {
    const { isMet, seen } = await run(session);
    return { ...check, verdict: verdictOf(check.level, isMet), seen: shortened(seen), ...session.recorded };
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return {
      ...{ ...check, verdict: verdictOf(check.level, false), seen: shortened(error.message) },
      ...session.recorded,
    };
  } finally {
    session.close();
  }
}

const missingFeatures: Readonly<Record<AdapterFeature, string>> = {
  together: 'the server changes one type at a time',
  aliases: 'the adapter of the server has no aliases of resources',
  heartbeats: 'the adapter of the server sends no heartbeats',
  errors: 'the adapter of the server has no errors in the place of resources',
  rest: 'the adapter of the server has no REST-JSON polling',
  large: 'the adapter of the server cannot serve a response of 5 MB',
};

function whyNotAsked(
  { needs = {}, features = [], changesConfig, sendsNack }: RunnableCheck,
  names: ServedNames,
  adapter: ConfigAdapter | undefined,
  mayReject: boolean,
): string | undefined {
  const { clusters, endpoints, wholeOnly } = names;
  if (changesConfig && adapter === undefined) return 'the check changes the config of the server';
  const missing = features.find((feature) => !adapter?.features.includes(feature));
  if (missing !== undefined) return missingFeatures[missing];
  if (sendsNack && !mayReject) return 'the check rejects a response, which was not allowed';
  const { clusters: mostClusters = 0, endpoints: mostEndpoints = 0, someOf } = needs;
  if (clusters.length < mostClusters)
    return `expected at least ${mostClusters} clusters, the server has ${clusters.length}`;
  if (endpoints.length < mostEndpoints)
    return `expected endpoints of at least ${mostEndpoints} clusters, the server has those of ${endpoints.length}`;
  if (someOf !== undefined && wholeOnly.includes(someOf)) return describeWholeOnly(names, someOf);
  return undefined;
}

/** Finds the names that checks request, unless an adapter has set them, and how requests for some of them are answered. */
async function measureNames(
  subject: CheckSubject,
  transport: ReturnType<typeof grpcTransport>,
  set: Served | undefined,
): Promise<ServedNames> {
  const { clock, nodeOf } = subject;
  const session = new CheckRun({
    ...{ transport, node: nodeOf('names'), clock, names: { clusters: [], endpoints: [], wholeOnly: [] } },
    openTransport: (keepaliveMs) => openTransport(subject, keepaliveMs),
  });
  try {
    const names = set ?? (await findNames(session));
    const wholeOnly: NamedResources[] = [];
    for (const [of, type] of [['clusters', CDS] as const, ['endpoints', EDS] as const]) {
      const all = names[of];
      if (all.length < 2 || (await session.isAnswered(type, all.slice(0, 1)))) continue;
      if (await session.isAnswered(type, all)) wholeOnly.push(of);
    }
    return { ...names, wholeOnly };
  } finally {
    session.close();
  }
}

type Served = Omit<ServedNames, 'wholeOnly'>;

/** Reads the clusters of the server and the endpoints that it sends for their names. */
async function findNames(session: CheckRun): Promise<Served> {
  const { stream, first } = await session.begin(false, CDS);
  stream.ack(first);
  const clusters = [...first.names];
  if (clusters.length === 0) return { clusters, endpoints: [] };
  stream.send({ typeUrl: EDS.typeUrl, resourceNames: clusters });
  const endpoints = await session.next(stream, EDS, 0);
  return { clusters, endpoints: endpoints?.names ?? [] };
}
