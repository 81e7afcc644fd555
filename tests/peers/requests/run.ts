import path from 'node:path';
import { runSteps } from '@/lib/cooperative/steps';
import { explain } from '@/lib/explain/explain';
import { findReach } from '@/lib/explain/reach/find-reach';
import type { ExplainRequest } from '@/lib/explain/request';
import type { Branch } from '@/lib/explain/trace';
import type { Profile } from '@/lib/xds/profile';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../support/builders/resolve-mesh';
import type { MeshResource } from '../../support/builders/topology-mesh';
import { envoy } from '../envoy/peer';
import type { Prepared } from '../peer';
import { profileOfPeer } from '../peer-profile';
import type { Results } from '../results';
import { drawChoices } from './draw-choices';
import { type Drawn, drawConfigs } from './draw-pairs';
import { type Observed, startRoutingEnvoy } from './routing-envoy';

export const chapter = 'requests';

const configsDrawn = 80;
/** Configs whose routes scopes and matcher trees choose. */
const choicesDrawn = 24;
const requestsOfEach = 25;
const listed = 12;

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
  const lists = drawConfigs(seed, configsDrawn, requestsOfEach);
  const configs = [...lists, ...drawChoices(seed, choicesDrawn, requestsOfEach)];
  try {
    const started = await startRoutingEnvoy(prepared, [...configs, ...lists.map(tableOf)], workDir);
    try {
      const expected: Observed[] = [];
      const titles: string[] = [];
      /** The connection manager answers; the access log may name the route of the path to which it redirects. */
      const answersEarly: boolean[] = [];
      for (const [index, { requests }] of configs.entries()) {
        const listener = { name: `l${index}`, body: started.listeners[index] ?? {} };
        const explainOne = explainerOf(listener, started.clusters, profileOfPeer(envoy, prepared));
        for (const request of requests) {
          await started.observe(index, request);
          const { branch, why } = explainOne(request);
          expected.push(asObserved(branch));
          answersEarly.push(branch.kind === 'answered' && branch.virtualHost === undefined);
          titles.push(`l${index} ${JSON.stringify(request)}: ${why}`);
        }
      }
      const pairs = expected.length;
      const witnesses: { title: string; route: string }[] = [];
      for (const [index, config] of lists.entries())
        for (const witness of witnessesOf(config, profileOfPeer(envoy, prepared))) {
          await started.observe(configs.length + index, witness.request);
          witnesses.push(witness);
        }
      const all = await started.observed();
      const observed = all.slice(0, pairs);
      const missed = witnesses.flatMap(({ title, route }, at) => {
        const found = all[pairs + at]?.route;
        return found === route ? [] : [`${title}\n    explained ${route}\n    observed  ${found}`];
      });
      const kinds = ['reached', 'never', 'perhaps'].map(
        (kind) => `${witnesses.filter(({ title }) => title.includes(` ${kind} `)).length} ${kind}`,
      );
      print(`  witnesses of routes: ${witnesses.length} (${kinds.join(', ')}), ${missed.length} differences`);
      const differences = observed.flatMap((each, at) => {
        const [own, title] = [expected[at], titles[at]];
        const compared = answersEarly[at] ? { ...each, route: '' } : each;
        const isEqual = JSON.stringify(own) === JSON.stringify(compared);
        return isEqual
          ? []
          : [`${title}\n    explained ${JSON.stringify(own)}\n    observed  ${JSON.stringify(each)}`];
      });
      print(`${chapter}, ${peer}, seed ${seed}: ${observed.length} pairs, ${differences.length} differences`);
      print(coverageOf(configs, observed));
      const wrong = [...differences, ...missed];
      if (wrong.length > 0) throw new Error(wrong.slice(0, listed).join('\n'));
      print(results.pass(of));
    } finally {
      await started.stop();
    }
  } catch (error) {
    print(results.fail(of, error));
  }
}

/** The routes of the first virtual host, for each authority, without what changes a request before a route is chosen. */
function tableOf({ virtualHosts: [host] }: Drawn): Drawn {
  const { routes } = host as { readonly routes: readonly object[] };
  return { manager: {}, table: {}, virtualHosts: [{ name: 'all', domains: ['*'], routes }], requests: [] };
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

interface DrawnRoute {
  readonly name: string;
  readonly match: object;
}

function explainerOf(
  listener: { readonly name: string; readonly body: object },
  clusters: readonly object[],
  profile: Profile,
): (request: ExplainRequest) => { branch: Branch; why: string } {
  const resources: MeshResource[] = [
    { typeUrl: LDS.typeUrl, ...listener },
    ...clusters.map((body) => ({ typeUrl: CDS.typeUrl, name: (body as { name: string }).name, body })),
  ];
  const resolver = resolverOver(resources, { start: { listener: listener.name }, profile });
  const jsonOf = (key: { typeUrl: string; name: string }) =>
    resources.find(({ typeUrl, name }) => typeUrl === key.typeUrl && name === key.name)?.body;
  return (request) => {
    const { branches, steps } = explain(
      { listener: resolver.listener, jsonOf, findCluster: (name) => resolver.entryOf(name) },
      request,
      profile,
    );
    const [branch, ...more] = branches;
    if (branch === undefined || more.length > 0)
      throw new Error(`expected one branch, got ${branches.length}`);
    return {
      branch,
      why: `${branch.text}; ${steps.at(-1)?.title}: ${steps.at(-1)?.reason}`,
    };
  };
}

/** The access log has the cluster of the route, unless Envoy does not have that cluster. */
function asObserved({ kind, status, flag, route, cluster, location }: Branch): Observed {
  return {
    status: kind === 'forwarded' ? 200 : (status ?? 0),
    location: location ?? '',
    route: route ?? '',
    cluster: flag === 'NC' ? '' : (cluster ?? ''),
    flag: flag ?? '',
  };
}

/** How often each part was drawn. */
function coverageOf(configs: readonly Drawn[], observed: readonly Observed[]): string {
  const counts = new Map<string, number>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + requestsOfEach);
  for (const { virtualHosts, manager, table } of configs) {
    const text = JSON.stringify({ virtualHosts, manager, table });
    for (const name of new Set([...text.matchAll(/"([a-z]+[A-Za-z]*)":/g)].map(([, key = '']) => key)))
      add(name);
  }
  const answers = new Map<string, number>();
  for (const { status, flag } of observed) {
    const key = `${status} ${flag}`.trim();
    answers.set(key, (answers.get(key) ?? 0) + 1);
  }
  const list = (map: ReadonlyMap<string, number>): string =>
    [...map]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return `  pairs with each field: ${list(counts)}\n  answers: ${list(answers)}`;
}
