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
import { startBackend } from '../backend';
import type { RunningClient } from '../peer';
import { profileOfPeer } from '../peer-profile';
import { runScripted, type ScriptedRunOptions } from '../scripted-run';
import { envoyCases, grpcCases, type LbCase } from './cases';
import {
  differenceOf,
  formatShares,
  measureShares,
  requestOnce,
  requestsAtOnce,
  type Shares,
  sendHttp,
  usualPoints,
} from './measure-shares';
import { type Served, serveCase } from './serve-case';

/** Outlier detection needs this long to eject an endpoint. */
const ejectionMs = 8_000;

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
        const { shares, requests } = await measureShares(
          () => send(each.name),
          expected,
          points,
          'outlierDetection' in each.cluster ? ejectionMs : 0,
        );
        const off = differenceOf(expected, shares);
        const text = `${off.toFixed(1)} points in ${requests} requests: expected ${formatShares(expected)}, got ${formatShares(shares)}`;
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
  const shares = new Map<string, number>();
  let [at, served] = [0, 0];
  for (const { endpoints } of simulation.table.localities)
    for (const { address } of endpoints) {
      const share = 100 * passed * (loads[at++] ?? 0);
      served += share;
      shares.set(address.split(':')[1] ?? '', share);
    }
  return shares.set('failed', 100 - served);
}

type Send = (name: string) => Promise<Readonly<Record<string, number>>>;

/** Returns the function with which a client sends requests to a cluster, once the client serves. */
async function senderOf(client: RunningClient, listenerPort: number): Promise<Send> {
  const { burst } = client;
  if (burst !== undefined)
    return async (name) => {
      const { error = 0, ...served } = await burst(`xds:///${name}`, requestsAtOnce);
      return { ...served, failed: error };
    };
  await waitUntil('the listener of Envoy accepts connections', () => requestOnce(listenerPort, 'none'));
  return (name) => sendHttp(listenerPort, name, ({ status, text }) => (status === 200 ? text : 'failed'));
}
