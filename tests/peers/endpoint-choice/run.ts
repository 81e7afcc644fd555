import { mkdirSync } from 'node:fs';
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { explain } from '@/lib/explain/explain';
import type { Branch, Trace } from '@/lib/explain/trace';
import { noFailing } from '@/lib/facts/failing-endpoints';
import { bootstrapTypeUrl } from '@/lib/model/bootstrap';
import { FieldReader } from '@/lib/model/field-reader';
import { readLbMetadata } from '@/lib/model/subset';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { newestOf, type Profile } from '@/lib/xds/profile';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { answerPlay, type PlayAnswer } from '@/server/answers/failover/failover-builder';
import { resolverOver } from '../../support/builders/resolve-mesh';
import type { MeshResource } from '../../support/builders/topology-mesh';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { envoy } from '../envoy/peer';
import { startEnvoyProcess } from '../envoy/start';
import {
  type Answer,
  differenceOf,
  formatShares,
  measureShares,
  requestOnce,
  type Shares,
  sendHttp,
  usualPoints,
} from '../load-balancing/measure-shares';
import type { Prepared } from '../peer';
import { profileOfPeer } from '../peer-profile';
import type { Results } from '../results';
import { type ChoiceCase, type ChoiceEnvoy, type ChoiceRequest, choiceEnvoys } from './cases';
import { hashEnvoy } from './hash-cases';

export const chapter = 'endpoint-choice';

const healths: Readonly<Record<string, string>> = {
  ...{ H: 'HEALTHY', U: 'UNHEALTHY', G: 'DEGRADED', D: 'DRAINING' },
};
const filters = 'type.googleapis.com/envoy.extensions.filters';

/** Compares the endpoints that the explanation of a request names with those that answer through a real Envoy. */
export async function runEndpointChoice(options: {
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { prepared, results, print } = options;
  const backends = await Promise.all(Array.from({ length: 12 }, startBackend));
  const ports = backends.map(({ port }) => port);
  const table: string[] = [];
  let cases = 0;
  try {
    for (const each of [...choiceEnvoys, hashEnvoy]) {
      const workDir = path.join(options.workDir, `${chapter}-${prepared.version}-${each.name}`);
      mkdirSync(workDir, { recursive: true });
      cases += each.cases.length;
      const listenerPort = await freePort();
      const bootstrap = bootstrapOf(each, ports, listenerPort);
      const running = await startEnvoyProcess(prepared, workDir, (adminPort) => ({
        admin: { address: addressOf(adminPort) },
        ...bootstrap,
      }));
      try {
        await waitUntil('the listener of Envoy accepts connections', () =>
          requestOnce(listenerPort, 'none').then(
            () => true,
            () => running.ended() !== undefined,
          ),
        );
        const profile = profileOfPeer(envoy, prepared);
        for (const one of each.cases)
          for (const [at, name] of pathsOf(one).entries()) {
            const config = openCase(one, bootstrap, profile);
            const { atOnce, requests } = one;
            const line =
              requests !== undefined
                ? await compareRequests(one, requests, listenerPort, (request) =>
                    config.explain(name, request),
                  )
                : atOnce !== undefined
                  ? await compareAtOnce(one, atOnce, listenerPort, config.explain(name))
                  : await compare(name, listenerPort, statementsOf(config, one, at));
            table.push(line);
            const of = {
              flavor: 'envoy',
              peer: `envoy ${prepared.version}`,
              protocol: 'sotw',
              server: 'scripted',
              chapter,
              moment: name,
            } as const;
            print(line.includes('DIFFERS') ? results.fail(of, new Error(line)) : results.pass(of));
          }
      } finally {
        await running.stop();
      }
    }
  } finally {
    for (const { close } of backends) close();
  }
  for (const line of table) print(line);
  const equal = table.filter((line) => line.includes(' equal ')).length;
  print(`${chapter}, envoy ${prepared.version}: ${equal} of ${table.length} routes of ${cases} cases equal`);
}

interface Statements {
  readonly explained: Shares;
  readonly why: string;
  /** What Failover states; absent: the case is not of the choice of an endpoint. */
  readonly failover?: Shares;
}

async function compare(
  name: string,
  port: number,
  { explained: expected, why, failover = expected }: Statements,
): Promise<string> {
  const { shares, requests } = await measureShares(
    () => sendHttp(port, name, keyOf),
    expected,
    usualPoints,
    0,
  );
  const off = Math.max(differenceOf(expected, shares), differenceOf(failover, shares));
  const verdict = off <= usualPoints ? 'equal  ' : 'DIFFERS';
  const reason = off <= usualPoints ? '' : ` (${why})`;
  return `${name.padEnd(36)} ${verdict} ${off.toFixed(1)} points in ${requests} requests: expected ${formatShares(expected)}, Failover ${formatShares(failover)}, got ${formatShares(shares)}${reason}`;
}

/** Each request goes to the one endpoint that the trace names. */
async function compareRequests(
  { name }: ChoiceCase,
  requests: readonly ChoiceRequest[],
  port: number,
  explained: (request: ChoiceRequest) => Trace,
): Promise<string> {
  const wrong: string[] = [];
  const used = new Set<string>();
  for (const request of requests) {
    const { steps, branches } = explained(request);
    const [{ endpoints = [] } = {}] = branches;
    const expected = endpoints.length === 1 ? endpoints[0]?.address.split(':')[1] : undefined;
    const got = keyOf(await requestOnce(port, name, request));
    used.add(got);
    if (got !== expected)
      wrong.push(`${JSON.stringify(request)}: expected ${expected} (${steps.at(-1)?.reason}), got ${got}`);
  }
  const verdict = wrong.length === 0 ? 'equal  ' : 'DIFFERS';
  return `${name.padEnd(36)} ${verdict} ${requests.length - wrong.length} of ${requests.length} requests to ${used.size} endpoints ${wrong.slice(0, 3).join('; ')}`;
}

/** The requests wait in the backends until each is there or rejected. No share is known: the branches are compared. */
async function compareAtOnce(
  { name }: ChoiceCase,
  { sent, admitted }: NonNullable<ChoiceCase['atOnce']>,
  port: number,
  { branches, steps }: Trace,
): Promise<string> {
  const expected = new Set(
    branches.map(({ kind, status, flag }) => (kind === 'forwarded' ? 'served' : `${status} ${flag}`)),
  );
  const hasShare = branches.some(({ percent }) => percent !== undefined);
  const limit = steps
    .find(({ stage }) => stage === 'cluster')
    ?.settings?.find(({ name: setting }) => setting === 'Circuit breaker')?.value;
  const counts = new Map<string, number>();
  const agent = new Agent({ maxSockets: sent });
  const all = Array.from({ length: sent }, async () => {
    const key = keyOf(await requestOnce(port, name, { agent }));
    const kind = /^\d+$/.test(key) ? 'served' : key;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  });
  await waitUntil('each request is held or rejected', () => held.size + (counts.get('503 UO') ?? 0) === sent);
  for (const release of held) release();
  held.clear();
  await Promise.all(all);
  agent.destroy();
  const got = [...counts]
    .map(([key, count]) => `${key} ${count}`)
    .sort()
    .join(', ');
  const isEqual =
    !hasShare &&
    [...counts.keys()].sort().join() === [...expected].sort().join() &&
    counts.get('served') === admitted &&
    limit?.includes(`max_requests ${admitted},`);
  return `${name.padEnd(36)} ${isEqual ? 'equal  ' : 'DIFFERS'} branches ${[...expected].sort().join(', ')}; ${limit}; got ${got}`;
}

/** The port of the backend, or the response flag, which the text of the answer shows. */
function keyOf({ status, text }: Answer): string {
  if (status === 200) return text;
  if (text.includes('no healthy upstream')) return '503 UH';
  return text.includes('overflow') ? '503 UO' : `${status} ${text}`;
}

interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

interface StaticConfig {
  readonly staticResources: {
    readonly listeners: readonly Named[];
    readonly clusters: readonly Named[];
  };
}

function bootstrapOf(
  { local, cases }: ChoiceEnvoy,
  ports: readonly number[],
  listenerPort: number,
): StaticConfig {
  const routes = cases.flatMap((one) => {
    const { name, route = {}, otherRoutes = [] } = one;
    const paths = pathsOf(one);
    return [route, ...otherRoutes].map((each, at) => ({
      match: { prefix: `/${paths[at]}/` },
      route: 'weightedClusters' in each ? nameClusters(each, name) : { cluster: name, ...each },
    }));
  });
  const typedConfig = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    statPrefix: 'choice',
    routeConfig: { name: 'choice', virtualHosts: [{ name: 'all', domains: ['*'], routes }] },
    httpFilters: [{ name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } }],
  };
  const groups = Object.entries(local ?? {}).map(([zone, hosts]) => ({ zone, hosts: [...hosts] }));
  return {
    ...{ node: { id: 'choice', cluster: 'choice', locality: { region: 'r', zone: 'a' } } },
    ...(local && { clusterManager: { localClusterName: 'local' } }),
    staticResources: {
      listeners: [
        {
          ...{ name: 'choice', address: addressOf(listenerPort) },
          filterChains: [{ filters: [{ name: 'http', typedConfig }] }],
        },
      ],
      clusters: [
        ...cases.map((each) => clusterOf(each, ports)),
        ...(local ? [clusterOf({ name: 'local', groups }, ports)] : []),
      ],
    },
  };
}

/** The first segment of the path of each route. */
function pathsOf({ name, otherRoutes = [] }: ChoiceCase): string[] {
  return [name, ...otherRoutes.map((_, at) => `${name}-${at + 2}`)];
}

/** The name of the cluster takes the place of the empty one. */
function nameClusters(route: object, name: string): unknown {
  return JSON.parse(JSON.stringify(route).replace('"name":""', `"name":${JSON.stringify(name)}`));
}

function clusterOf({ name, groups, cluster = {} }: ChoiceCase, ports: readonly number[]) {
  let next = 0;
  const endpoints = groups.map(({ zone, priority, weight, hosts, hostWeights }) => ({
    locality: { region: 'r', zone },
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { loadBalancingWeight: weight }),
    lbEndpoints: hosts.map((host, at) => {
      const [letter = 'H', ...pairs] = host.split(' ');
      const values = Object.fromEntries(pairs.map(readPair));
      return {
        endpoint: { address: addressOf(ports[next++] ?? 0) },
        healthStatus: healths[letter],
        ...(hostWeights?.[at] && { loadBalancingWeight: hostWeights[at] }),
        ...(pairs.length > 0 && { metadata: { filterMetadata: { 'envoy.lb': values } } }),
      };
    }),
  }));
  const loadAssignment = { clusterName: name, endpoints };
  return { name, type: 'STATIC', connectTimeout: '1s', loadAssignment, ...cluster };
}

function readPair(pair: string): [string, unknown] {
  const [key = '', value = ''] = pair.split('=');
  return [key, value.startsWith('[') ? JSON.parse(value) : value];
}

function addressOf(portValue: number) {
  return { socketAddress: { address: '127.0.0.1', portValue } };
}

function openCase({ name, atOnce }: ChoiceCase, bootstrap: StaticConfig, profile: Profile) {
  const { listeners, clusters } = bootstrap.staticResources;
  const resources: MeshResource[] = [
    { typeUrl: bootstrapTypeUrl, name: 'bootstrap', body: bootstrap },
    ...listeners.map((body) => ({ typeUrl: LDS.typeUrl, name: body.name, body })),
    ...clusters.map((body) => ({ typeUrl: CDS.typeUrl, name: body.name, body })),
  ];
  const resolver = resolverOver(resources, { start: { listener: 'choice' }, profile });
  if (atOnce !== undefined)
    resolver.setFailing({ ...noFailing, breakers: new Map([[name, { limits: ['max_requests'] }]]) });
  const jsonOf = (key: ResourceKey) =>
    resources.find((each) => each.typeUrl === key.typeUrl && each.name === key.name)?.body;
  return {
    explain: (path: string, { headers = [], query = '' }: ChoiceRequest = {}): Trace =>
      explain(
        { listener: resolver.listener, jsonOf, findCluster: (cluster) => resolver.entryOf(cluster) },
        {
          ...{ method: 'GET', scheme: 'http', authority: '127.0.0.1', path: `/${path}/${query}`, headers },
          connection: { sourceAddress: '127.0.0.1' },
        },
        profile,
      ),
    play: (requests: string | undefined): PlayAnswer =>
      answerPlay(
        resolver,
        newestOf('core'),
        { cluster: name, requests, changes: [], seconds: 0, find: '' },
        { isEnvoy: true },
      ),
  };
}

/** What is stated of the route at the index. */
function statementsOf(
  { explain, play }: ReturnType<typeof openCase>,
  one: ChoiceCase,
  at: number,
): Statements {
  const { branches, steps } = explain(pathsOf(one)[at] ?? '');
  const [branch, ...more] = branches;
  if (branch === undefined || more.length > 0) throw new Error(`expected one branch, got ${branches.length}`);
  const explained = { explained: sharesOfBranch(branch), why: steps.at(-1)?.reason ?? '' };
  if (one.cluster !== undefined && 'circuitBreakers' in one.cluster) return explained;
  if (one.otherRoutes === undefined) return { ...explained, failover: sharesOfPlay(play(undefined)) };
  const all = play(undefined);
  if (all.moments.length > 0) throw new Error('expected no shares of requests that differ, got some');
  const wanted = readLbMetadata(FieldReader.open(routeOf(one, at), []).object('metadataMatch')) ?? {};
  const id = all.requests?.items.find((each) => isDeepStrictEqual(JSON.parse(each.id), wanted))?.id;
  return { ...explained, failover: sharesOfPlay(play(id)) };
}

function routeOf({ route = {}, otherRoutes = [] }: ChoiceCase, at: number): object {
  return [route, ...otherRoutes][at] ?? {};
}

function sharesOfPlay({ moments: [now], priorities, notes }: PlayAnswer): Shares {
  if (now === undefined) return new Map([[`not known: ${notes.join('; ')}`, 100]]);
  const shares = new Map<string, number>();
  for (const [priority, { localities }] of priorities.entries())
    for (const [locality, { endpoints }] of localities.entries())
      for (const [at, { address }] of endpoints.entries()) {
        const share = now.envoy.endpoints[priority]?.[locality]?.[at] ?? 0;
        if (share > 0) shares.set(address.split(':')[1] ?? '', share * 100);
      }
  return now.envoy.failing > 0 ? shares.set('503 UH', now.envoy.failing * 100) : shares;
}

function sharesOfBranch({ kind, text, status, flag, endpoints = [] }: Branch): Shares {
  if (kind !== 'forwarded') return new Map([[kind === 'unknown' ? text : `${status} ${flag}`, 100]]);
  const shares = new Map<string, number>();
  let served = 0;
  for (const { address, percent } of endpoints) {
    if (percent === undefined) return new Map([['not known', 100]]);
    shares.set(address.split(':')[1] ?? '', percent);
    served += percent;
  }
  return served > 99.9 ? shares : shares.set('503 UH', 100 - served);
}

/** Ends the requests that wait in the backends. */
const held = new Set<() => void>();
const heldCases: ReadonlySet<string> = new Set(
  choiceEnvoys.flatMap(({ cases }) => cases.flatMap(({ name, atOnce }) => (atOnce ? [name] : []))),
);

/** Answers every request with its port. */
async function startBackend(): Promise<{ readonly port: number; close(): void }> {
  let port = 0;
  const server = createServer((request, response) => {
    const answer = (): void => void response.end(String(port));
    if (heldCases.has(request.url?.split('/')[1] ?? '')) held.add(answer);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}
