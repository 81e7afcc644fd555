import path from 'node:path';
import { runSteps } from '@/lib/cooperative/steps';
import { explain } from '@/lib/explain/explain';
import { findReach } from '@/lib/explain/reach/find-reach';
import type { Branch, Trace } from '@/lib/explain/trace';
import type { ExplainRequest } from '@/lib/requests/request';
import { newestOf, type Profile } from '@/lib/xds/profile';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../support/builders/resolve-mesh';
import type { MeshResource } from '../../support/builders/topology-mesh';
import { envoy } from '../envoy/peer';
import type { Prepared } from '../peer';
import { profileOfPeer } from '../peer-profile';
import type { Results } from '../results';
import { Coverage } from './coverage';
import { drawChoices } from './draw-choices';
import { drawOdd } from './draw-odd';
import { type Drawn, drawConfigs } from './draw-pairs';
import { type ExplainedConfig, fillQuota } from './fill-quota';
import type { DrawnRoute } from './match-route';
import { clustersOf, listenerOf, type Observed, startRoutingEnvoy } from './routing-envoy';

export const chapter = 'requests';

const configsDrawn = 80;
/** Configs whose routes scopes and matcher trees choose. */
const choicesDrawn = 32;
const requestsOfEach = 25;
/** Configs for requests that are rarely meant. */
const oddDrawn = 16;
export const firstSeed = 1;
const listed = 12;
const titleChars = 2_000;

/** Compares the explanation of random requests with what a real Envoy with the same config does with them. */
export async function runRequests(options: {
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly seed: number;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { prepared, seed, results, print } = options;
  const peer = `envoy ${prepared.version}`;
  const of = {
    flavor: 'envoy',
    peer,
    protocol: 'sotw',
    server: 'scripted',
    chapter,
    moment: 'pairs',
  } as const;
  const workDir = path.join(options.workDir, `${chapter}-${prepared.version}-${seed}`);
  const profile = profileOfPeer(envoy, prepared);
  const unknown = unknownFields(profile);
  const { lists, choices } = drawAll(seed, unknown);
  const further = drawFurther([...lists, ...choices], seed, unknown, profile);
  // What happens to them was measured with the newest version.
  const odd = profile === newestOf('envoy') ? drawOdd(seed, oddDrawn, requestsOfEach) : [];
  const configs = [...lists, ...choices, ...further, ...odd];
  try {
    const started = await startRoutingEnvoy(prepared, [...configs, ...lists.map(tableOf)], workDir);
    try {
      const explained: Trace[] = [];
      const titles: string[] = [];
      const coverage = new Coverage(unknown);
      for (const [index, { requests }] of configs.entries()) {
        const listener = { name: `l${index}`, body: started.listeners[index] ?? {} };
        const explainOne = explainerOf(listener, started.clusters, profile);
        for (const request of requests) {
          await started.observe(index, request);
          const trace = explainOne(request);
          explained.push(trace);
          coverage.add(trace, listener.body);
          titles.push(`l${index} ${JSON.stringify(request).slice(0, titleChars)}`);
        }
      }
      const witnesses: { title: string; route: string }[] = [];
      for (const [index, config] of lists.entries())
        for (const witness of witnessesOf(config, profile)) {
          await started.observe(configs.length + index, witness.request);
          witnesses.push(witness);
        }
      const all = await started.observed();
      const observed = all.slice(0, explained.length);
      const missed = witnesses.flatMap(({ title, route }, at) => {
        const found = all[explained.length + at]?.route;
        return found === route ? [] : [`${title}\n    explained ${route}\n    observed  ${found}`];
      });
      const kinds = ['reached', 'never', 'perhaps'].map(
        (kind) => `${witnesses.filter(({ title }) => title.includes(` ${kind} `)).length} ${kind}`,
      );
      print(`  witnesses of routes: ${witnesses.length} (${kinds.join(', ')}), ${missed.length} differences`);
      const compared = observed.map((each, at) => compare(explained[at], each));
      const differences = observed.flatMap((each, at) =>
        compared[at] === 'differs' ? [describeDifference(titles[at] ?? '', explained[at], each)] : [],
      );
      const count = (result: Compared): number => compared.filter((each) => each === result).length;
      print(
        `${chapter}, ${peer}, seed ${seed}: ${observed.length} pairs, ${differences.length} differences; ${count('one')} have one branch, ${count('several')} several, ${count('open')} an open one`,
      );
      print(`  pairs that see each part: ${coverage.list()}\n  answers: ${answersOf(observed)}`);
      const wrong = [...differences, ...missed];
      if (wrong.length > 0) throw new Error(wrong.slice(0, listed).join('\n'));
      // Further seeds add to what the first one has enough of.
      if (seed === firstSeed) coverage.assertEnough();
      print(results.pass(of));
    } finally {
      await started.stop();
    }
  } catch (error) {
    print(results.fail(of, error));
  }
}

interface DrawnConfigs {
  readonly lists: readonly Drawn[];
  readonly choices: readonly Drawn[];
}

function drawAll(seed: number, unknown: readonly string[]): DrawnConfigs {
  const known = (drawn: readonly Drawn[]) => drawn.map((each) => withoutFields(each, unknown));
  return {
    lists: known(drawConfigs(seed, configsDrawn, requestsOfEach)),
    choices: known(drawChoices(seed, choicesDrawn, requestsOfEach)),
  };
}

/** No other draw begins with such a seed. */
const seedsApart = 1000;

/** The configs and requests that are missing in a draw, so that enough pairs see each part of a config. */
function drawFurther(
  drawn: readonly Drawn[],
  seed: number,
  unknown: readonly string[],
  profile: Profile,
): Drawn[] {
  // The ports of the run are not known yet; no authority names this one.
  const port = 1;
  const clusters = clustersOf([port, port]);
  const explainerFor = (config: Drawn): ExplainedConfig => {
    const listener = listenerOf(config, 0, port, '/dev/null');
    return { listener, explainOne: explainerOf({ name: 'l0', body: listener }, clusters, profile) };
  };
  const coverage = new Coverage(unknown);
  for (const config of drawn) {
    const { listener, explainOne } = explainerFor(config);
    for (const request of config.requests) coverage.add(explainOne(request), listener);
  }
  const draw = (round: number): Drawn[] => {
    const { lists, choices } = drawAll(seed + round * seedsApart, unknown);
    return [...lists, ...choices];
  };
  return fillQuota(coverage, draw, explainerFor);
}

/** Fields that the version of Envoy does not have. */
function unknownFields(profile: Profile): readonly string[] {
  return profile === 'envoy-1.36' ? ['vhostHeader', 'cookies'] : [];
}

/** A version that lacks fields also has a lower limit for the size of a regular expression. */
function withoutFields(drawn: Drawn, names: readonly string[]): Drawn {
  if (names.length === 0) return drawn;
  return JSON.parse(JSON.stringify(drawn), (key, value) => {
    if (names.includes(key)) return undefined;
    return key === 'regex' && value === '/\\pL+' ? '/[a-z]+' : value;
  });
}

/** The routes of the first virtual host, for each authority, without what changes a request before a route is chosen. */
function tableOf({ virtualHosts: [host] }: Drawn): Drawn {
  // What depends on metadata is perhaps reached, and is not without filters.
  const routes = (host as { readonly routes: readonly DrawnRoute[] }).routes.filter(
    ({ match }) => !('dynamicMetadata' in match),
  );
  const virtualHosts = [{ name: 'all', domains: ['*'], routes }];
  return { manager: {}, table: {}, virtualHosts, filters: [], requests: [] };
}

interface Witness {
  readonly title: string;
  readonly request: ExplainRequest;
  /** The name of the route that takes it. */
  readonly route: string;
}

/** Requests that Envoy's codec rejects, and those that only a TLS connection decides, are left out. */
function witnessesOf(config: Drawn, profile: Profile): Witness[] {
  const [host] = tableOf(config).virtualHosts as readonly { readonly routes: readonly DrawnRoute[] }[];
  const routes = (host?.routes ?? []).map(({ name, match }) => ({ name, matcher: match }));
  const hasTls = JSON.stringify(routes).includes('tlsContext');
  const input = {
    routes,
    authority: 'any.example',
    accepts: () => true,
    profile,
    ignored: new Set<number>(),
  };
  return runSteps(findReach(input)).flatMap((reach, index): Witness[] => {
    const { witness } = reach ?? {};
    if (reach === undefined || witness === undefined) return [];
    const { method, scheme, headers } = witness;
    if (!['GET', 'POST', 'DELETE'].includes(method) || (scheme === 'https' && hasTls)) return [];
    const route = routes[reach.kind === 'reached' ? index : (reach.by ?? -1)]?.name ?? '';
    const forwarded = scheme === 'https' ? [['x-forwarded-proto', 'https'] as const] : [];
    const request = { ...witness, headers: [...headers, ...forwarded] };
    return [{ title: `${routes[index]?.name} ${reach.kind} ${JSON.stringify(request)}`, request, route }];
  });
}

function explainerOf(
  listener: { readonly name: string; readonly body: object },
  clusters: readonly object[],
  profile: Profile,
): (request: ExplainRequest) => Trace {
  const resources: MeshResource[] = [
    { typeUrl: LDS.typeUrl, ...listener },
    ...clusters.map((body) => ({ typeUrl: CDS.typeUrl, name: (body as { name: string }).name, body })),
  ];
  const resolver = resolverOver(resources, { start: { listener: listener.name }, profile });
  const jsonOf = (key: { typeUrl: string; name: string }) =>
    resources.find(({ typeUrl, name }) => typeUrl === key.typeUrl && name === key.name)?.body;
  return (request) =>
    explain(
      { listener: resolver.listener, jsonOf, findCluster: (name) => resolver.entryOf(name) },
      request,
      profile,
    );
}

/** `one`: as the only branch; `several`: as one of the branches; `open`: as a branch that does not state the answer. */
type Compared = 'one' | 'several' | 'open' | 'differs';

function compare(trace: Trace | undefined, observed: Observed): Compared {
  const { branches = [] } = trace ?? {};
  if (branches.some((branch) => isObserved(branch, observed)))
    return branches.length === 1 ? 'one' : 'several';
  return branches.some((branch) => isOpen(branch, observed)) ? 'open' : 'differs';
}

/** A filter may answer with a status that is not predicted, or change the request. */
function isOpen({ kind, filter, status, flag }: Branch, observed: Observed): boolean {
  if (filter === undefined) return false;
  return kind === 'unknown' || (status === undefined && flag === withoutDelay(observed.flag));
}

/**
 * The access log has the cluster of the route, unless Envoy does not have that cluster, also if a filter answers. If the
 * connection manager answers, it may name the route and cluster of the path to which it redirects. DI: a filter has delayed the request.
 */
function isObserved(branch: Branch, observed: Observed): boolean {
  const { kind, status, grpcCode = '', flag, route, cluster, location, filter, virtualHost } = branch;
  const answersEarly = kind === 'answered' && virtualHost === undefined && filter === undefined;
  const own: Observed = {
    status: kind === 'forwarded' ? 200 : (status ?? 0),
    location: location ?? '',
    grpcCode,
    route: answersEarly ? observed.route : (route ?? ''),
    // An upgrade that is not allowed fails without a flag, and with the cluster of its route.
    cluster:
      answersEarly || filter !== undefined || (kind === 'failed' && flag === undefined)
        ? observed.cluster
        : flag === 'NC'
          ? ''
          : (cluster ?? ''),
    flag: flag ?? '',
  };
  return JSON.stringify(own) === JSON.stringify({ ...observed, flag: withoutDelay(observed.flag) });
}

function withoutDelay(flag: string): string {
  return flag.replace(/^DI,?/, '');
}

function describeDifference(title: string, trace: Trace | undefined, observed: Observed): string {
  const branches = trace?.branches.map((each) => JSON.stringify({ ...each, endpoints: undefined })) ?? [];
  const filters = trace?.steps
    .filter(({ stage }) => stage === 'http-filter')
    .map((step) => `${step.title}: ${step.reason}`);
  return `${title}\n    explained ${branches.join('\n           or ')}\n    ${filters?.join('\n    ')}\n    observed  ${JSON.stringify(observed)}`;
}

/** How often each status and flag was observed. */
function answersOf(observed: readonly Observed[]): string {
  const answers = new Map<string, number>();
  for (const { status, flag } of observed) {
    const key = `${status} ${flag}`.trim();
    answers.set(key, (answers.get(key) ?? 0) + 1);
  }
  return [...answers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
