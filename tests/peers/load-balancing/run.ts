import { Agent, createServer, get } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { grpcProfileOf } from '@/lib/lb/grpc-profile';
import { playFailover } from '@/lib/lb/simulator/play-failover';
import { openSimulation } from '@/lib/lb/simulator/step-failover';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { clientOf, type Profile } from '@/lib/xds/profile';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../support/builders/resolve-mesh';
import { apiListener, type MeshResource, routeConfig } from '../../support/builders/topology-mesh';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import type { Flavor, RunningClient } from '../peer';
import { profileOfPeer } from '../peer-profile';
import { runScripted, type ScriptedRunOptions } from '../scripted-run';
import { envoyCases, grpcCases, type LbCase } from './cases';
import { type Served, serveCase } from './serve-case';

const requestsAtOnce = 500;
/** Random choices are repeated until their shares are within the limit, or this often after they have settled. */
const mostRounds = 16;
/** Ejections and connections that are made late belong to rounds that are not counted. */
const settlingRounds = 4;
/** Outlier detection needs this long to eject an endpoint. */
const ejectionMs = 8_000;
const usualPoints = 3;

/** Per cent of all requests by port of the endpoint; `failed` by none. */
type Shares = ReadonlyMap<number | 'failed', number>;

/** Sends requests of one client through clusters of every kind, and compares the shares of endpoints with the model's. */
export async function runLoadBalancing(options: ScriptedRunOptions): Promise<void> {
  const { peer, prepared, print } = options;
  const title = `${peer.name} ${prepared.version}`;
  const profile = profileOfPeer(peer, prepared);
  const all = peer.flavor === 'envoy' ? envoyCases : grpcCases;
  const cases = all.filter(({ rejectedBy }) => rejectedBy?.test(title) !== true);
  const table: string[] = [];
  await runScripted(chapter, options, async (scripted) => {
    const backends = await Promise.all(Array.from({ length: 40 }, () => startBackend(peer.flavor)));
    scripted.stopAtEnd(() => backends.forEach(({ close }) => void close()));
    const closed = await Promise.all([freePort(), freePort(), freePort()]);
    const pools = { open: backends.map(({ port }) => port), closed };
    const served = new Map(cases.map((each) => [each.name, serveCase(each, pools, peer.flavor)]));
    const listenerPort = await freePort();
    const resources = [...served.values()].flatMap((each) => each.resources);
    const entry = peer.flavor === 'envoy' ? envoyEntry(cases, listenerPort) : grpcEntry(cases);
    await scripted.serve([...resources, ...entry]);
    const client = await scripted.startClient({ targets: [] });
    const send = await senderOf(client, listenerPort);
    for (const each of cases) {
      const moment = each.name;
      try {
        const found = served.get(each.name);
        if (found === undefined) throw new Error(`expected the resources of ${each.name}, got none`);
        const expected = sharesOfModel(each, found, profile);
        const points = each.approximate?.points ?? usualPoints;
        const { shares, requests } = await measure(each, () => send(each.name), expected, points);
        const off = difference(expected, shares);
        const text = `${off.toFixed(1)} points in ${requests} requests: expected ${format(expected)}, got ${format(shares)}`;
        table.push(
          `${title.padEnd(22)} ${moment.padEnd(36)} ${off <= points ? 'equal ' : 'DIFFERS'} ${text}`,
        );
        if (off > points) throw new Error(text);
        scripted.pass(moment);
      } catch (error) {
        scripted.fail(error, moment);
      }
    }
  });
  for (const line of table) print(line);
  const differing = table.filter((line) => line.includes('DIFFERS')).length;
  print(`load balancing, ${title}: ${table.length - differing} of ${cases.length} cases equal`);
}

export const chapter = 'load-balancing';

const filters = 'type.googleapis.com/envoy.extensions.filters';
const router = { name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } };

function envoyEntry(cases: readonly LbCase[], portValue: number): MeshResource[] {
  const routes = cases.map(({ name }) => ({ match: { prefix: `/${name}/` }, route: { cluster: name } }));
  const typedConfig = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    statPrefix: 'load',
    routeConfig: { name: 'load', virtualHosts: [{ name: 'load', domains: ['*'], routes }] },
    httpFilters: [router],
  };
  const body = {
    name: 'load',
    address: { socketAddress: { address: '127.0.0.1', portValue } },
    filterChains: [{ filters: [{ name: 'http', typedConfig }] }],
  };
  return [{ typeUrl: LDS.typeUrl, name: 'load', body }];
}

function grpcEntry(cases: readonly LbCase[]): MeshResource[] {
  return cases.map(({ name }) => {
    const routes = [{ match: { prefix: '' }, route: { cluster: name } }];
    const manager = {
      '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
      routeConfig: { name, virtualHosts: [{ name, domains: ['*'], routes }] },
      httpFilters: [router],
    };
    return { typeUrl: LDS.typeUrl, name, body: { name, apiListener: { apiListener: manager } } };
  });
}

/** Returns what the simulator of the Failover tab states, with the endpoints that reject connections as dead. */
function sharesOfModel(each: LbCase, { resources, missing, dead }: Served, profile: Profile): Shares {
  const mesh = [
    apiListener('shop', { rds: 'routes' }),
    routeConfig('routes', { '': each.name }),
    ...resources,
    // Envoy requests all clusters at once, and has no row of one that does not exist.
    ...(clientOf(profile) === 'envoy' ? [] : missing).map((name) => ({
      ...({ typeUrl: CDS.typeUrl, name, clientStatus: 'DOES_NOT_EXIST' } as const),
    })),
  ];
  const resolver = resolverOver(mesh, { profile });
  const traffic = trafficOfCluster(each.name, grpcProfileOf(profile), (name) => resolver.findCluster(name));
  if (typeof traffic === 'string') return new Map([['failed', 100]]);
  const simulation = openSimulation(traffic.cluster);
  const changes = dead.map(
    (address) => ({ kind: 'condition', at: 0, target: { address }, to: 'dead' }) as const,
  );
  const moment = [...playFailover(simulation, changes, 1)].at(-1);
  const loads =
    (clientOf(profile) === 'envoy' ? moment?.envoy : moment?.grpc)?.loads.endpoints ?? new Float64Array();
  const passed = 1 - traffic.dropPercent / 100;
  const shares = new Map<number | 'failed', number>();
  let [at, served] = [0, 0];
  for (const { endpoints } of simulation.table.localities)
    for (const { address } of endpoints) {
      const share = 100 * passed * (loads[at++] ?? 0);
      served += share;
      shares.set(Number(address.split(':')[1]), share);
    }
  return shares.set('failed', 100 - served);
}

type Send = (name: string) => Promise<Readonly<Record<string, number>>>;

/** Returns the function with which a client sends requests to a cluster, once the client serves. */
async function senderOf(client: RunningClient, listenerPort: number): Promise<Send> {
  const { burst } = client;
  if (burst !== undefined) return (name) => burst(`xds:///${name}`, requestsAtOnce);
  await waitUntil('the listener of Envoy accepts connections', () => requestOnce(listenerPort, 'none'));
  return (name) => sendHttp(listenerPort, name);
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

function requestOnce(port: number, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: `/${name}/`, agent }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => {
        text += part.toString();
      });
      response.on('end', () => resolve(response.statusCode === 200 ? text : 'error'));
    }).on('error', reject);
  });
}

async function sendHttp(port: number, name: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let left = requestsAtOnce;
  const sendAll = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await requestOnce(port, name);
      counts[answer] = (counts[answer] ?? 0) + 1;
    }
  };
  await Promise.all([sendAll(), sendAll(), sendAll(), sendAll()]);
  return counts;
}

async function measure(
  { cluster }: LbCase,
  send: () => Promise<Readonly<Record<string, number>>>,
  expected: Shares,
  points: number,
): Promise<{ readonly shares: Shares; readonly requests: number }> {
  let counts = new Map<number | 'failed', number>();
  const settledAt = Date.now() + ('outlierDetection' in cluster ? ejectionMs : 0);
  for (let round = 1; ; round++) {
    for (const [answer, count] of Object.entries(await send())) {
      const key = answer === 'error' ? 'failed' : Number(answer);
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
    const requests = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const shares = new Map([...counts].map(([key, count]) => [key, (100 * count) / requests]));
    if (difference(expected, shares) <= points) return { shares, requests };
    if (round <= settlingRounds || Date.now() < settledAt) {
      counts = new Map();
      continue;
    }
    if (requests >= mostRounds * requestsAtOnce) return { shares, requests };
  }
}

/** The largest difference of a share, in points. */
function difference(expected: Shares, actual: Shares): number {
  const keys = [...new Set([...expected.keys(), ...actual.keys()])];
  return Math.max(...keys.map((key) => Math.abs((expected.get(key) ?? 0) - (actual.get(key) ?? 0))));
}

function format(shares: Shares): string {
  const used = [...shares].filter(([, share]) => share >= 0.05);
  const texts = used
    .sort()
    .map(([key, share]) => (key === 'failed' ? `failed ${share.toFixed(1)}` : share.toFixed(1)));
  return texts.join('/') || 'nothing';
}

/** Answers every request with its port. */
async function startBackend(flavor: Flavor): Promise<{ readonly port: number; close(): void }> {
  let port = 0;
  const server =
    flavor === 'envoy'
      ? createServer((_, response) => response.end(String(port)))
      : createHttp2Server((request, response) => {
          request.resume();
          response.writeHead(200, { 'content-type': 'application/grpc' });
          const text = Buffer.from(String(port));
          const head = Buffer.alloc(5);
          head.writeUInt32BE(text.length, 1);
          response.write(Buffer.concat([head, text]));
          response.addTrailers({ 'grpc-status': '0' });
          response.end();
        });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const close = (): void => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  };
  return { port, close };
}
