import path from 'node:path';
import { explain } from '@/lib/explain/explain';
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
import { type Drawn, drawConfigs } from './draw-pairs';
import { type Observed, startRoutingEnvoy } from './routing-envoy';

export const chapter = 'requests';

const configsDrawn = 80;
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
  const workDir = path.join(options.workDir, `${chapter}-${prepared.version}`);
  const configs = drawConfigs(seed, configsDrawn, requestsOfEach);
  try {
    const started = await startRoutingEnvoy(prepared, configs, workDir);
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
      const observed = await started.observed();
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
      if (differences.length > 0) throw new Error(differences.slice(0, listed).join('\n'));
      print(results.pass(of));
    } finally {
      await started.stop();
    }
  } catch (error) {
    print(results.fail(of, error));
  }
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
