import { mkdirSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import type { IssuePage } from '@/lib/views/issues/schema';
import { CDS, LDS, SDS, VHDS } from '@/lib/xds/resource-type';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { everyNode, type Resource } from '@/server/lab/management-server/snapshot-store';
import { systemClock } from '@/server/observe';
import { freePort } from '../support/free-port';
import { waitUntil } from '../support/wait-until';
import { startBackend } from './backend';
import { bootstrapOf, type EnvoyProcess, startEnvoyProcess } from './envoy/start';
import type { Prepared, Protocol } from './peer';
import type { MomentOf, Results } from './results';
import * as mesh from './subscriptions-mesh';
import { findEntrances, startXdscope, type Vantage, type Xdscope } from './xdscope';

export interface SubscriptionsStoryOptions {
  readonly envoy: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}

export const chapter = 'subscriptions';
const patienceMs = 15_000;
/** The static cluster of the bootstrap. */
const managementServer = 'management-server';
const vantages = ['tap', 'tap+admin', 'admin'] as const satisfies readonly Vantage[];
type Expected = Partial<Record<(typeof vantages)[number], readonly string[]>>;

/**
 * Envoys whose subscriptions are no lists of the names in their config: virtual hosts and clusters that requests ask for (VHDS,
 * ODCDS), scopes (SRDS) and filter configs (ECDS) in delta, collections of xDS-TP, and a cluster that is sent again after its
 * rejection. The rows and issues of a tap, of the admin interface, and of both are compared with what requests show.
 */
export async function runSubscriptionsStory(options: SubscriptionsStoryOptions): Promise<void> {
  await runPart(options, 'on demand', 'delta', onDemand);
  await runPart(options, 'collections', 'delta', collections);
  await runPart(options, 'sent again', 'sotw', sentAgain);
  // An admin interface reports a part of what the client rejected, with its version.
  await runPart(options, 'connected again', 'sotw', connectedAgain, ['tap']);
  await runPart(options, 'connected again in delta', 'delta', connectedAgain, ['tap']);
}

interface Stage {
  readonly server: ManagementServer;
  readonly backendPort: number;
  /** The port of a listener. */
  port(name: string): Promise<number>;
  put(version: string, ...resources: readonly Resource[]): void;
  startEnvoy(more?: object): Promise<EnvoyProcess>;
  /** Waits until each vantage shows these rows of the types, and these open issues. */
  shows(name: string, typeUrls: readonly string[], rows: Expected, issues: Expected): Promise<void>;
  begin(name: string): void;
}

async function runPart(
  { envoy, results, print, ...options }: SubscriptionsStoryOptions,
  name: string,
  protocol: Protocol,
  run: (stage: Stage) => Promise<void>,
  among: readonly (typeof vantages)[number][] = vantages,
): Promise<void> {
  const nodeId = name.replaceAll(' ', '-');
  const workDir = path.join(options.workDir, chapter, nodeId);
  mkdirSync(workDir, { recursive: true });
  let of: MomentOf = {
    ...{ flavor: 'envoy', peer: `envoy ${envoy.version}`, protocol, server: 'scripted', chapter },
    moment: `${name}: start`,
  };
  const begin = (moment: string): void => {
    of = { ...of, moment: `${name}: ${moment}` };
  };
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const server = new ManagementServer({ clock: systemClock });
    stops.unshift(() => server.close());
    let servers = [await server.listen()] as const;
    const backend = await startBackend('envoy');
    stops.unshift(async () => backend.close());
    const xdscopes = new Map<Vantage, Xdscope>();
    for (const vantage of among) {
      const [server] = servers;
      const [entrance] = await findEntrances(vantage, [server]);
      const xdscope = await startXdscope({ vantage, servers: [server], entrances: [entrance], workDir });
      stops.unshift(() => xdscope.stop());
      xdscopes.set(vantage, xdscope);
      servers = [entrance];
    }
    const ports = new Map<string, number>();
    await run({
      ...{ server, backendPort: backend.port, begin },
      async port(listener) {
        const port = ports.get(listener) ?? (await freePort());
        ports.set(listener, port);
        return port;
      },
      put(version, ...resources) {
        for (const resource of resources)
          server.update(everyNode, resource.typeUrl, { set: [resource], removed: [] }, version);
      },
      async startEnvoy(more = {}) {
        const client = await startEnvoyProcess(envoy, workDir, (port) => {
          const clientOptions = { nodeId, servers, protocol, workDir, listenerPorts: {}, serverFeatures: [] };
          const bootstrap = bootstrapOf(clientOptions, port);
          const { dynamic_resources } = bootstrap as { readonly dynamic_resources: object };
          return { ...bootstrap, dynamic_resources: { ...dynamic_resources, ...more } };
        });
        stops.unshift(() => client.stop());
        for (const [vantage, xdscope] of xdscopes) {
          await xdscope.observe(client.adminTarget);
          await waitUntil(`${vantage} reports ${nodeId}`, () => xdscope.isReporting(nodeId), patienceMs);
        }
        return client;
      },
      async shows(moment, typeUrls, rows, issues) {
        begin(moment);
        for (const [vantage, xdscope] of xdscopes) {
          const expectedRows = findExpected(rows, vantage);
          await sees(`${vantage}: rows`, expectedRows, async () =>
            (await xdscope.rows(nodeId))
              .filter((row) => typeUrls.includes(row.typeUrl) && row.name !== managementServer)
              .map(({ name: resource, state, version }) =>
                `${resource || '(the type)'} ${state} ${version}`.trim(),
              ),
          );
          await sees(`${vantage}: issues`, findExpected(issues, vantage), async () =>
            (await xdscope.get<IssuePage>('issues')).items.flatMap(({ title, resolvedAt }) =>
              resolvedAt === null || resolvedAt === undefined ? [title] : [],
            ),
          );
        }
        print(results.pass(of));
      },
    });
  } catch (error) {
    print(results.fail(of, error));
  } finally {
    for (const stop of stops) await stop();
  }
}

function findExpected(expected: Expected, vantage: Vantage): readonly string[] {
  if (vantage === 'admin') return expected.admin ?? [];
  return (vantage === 'tap+admin' ? expected['tap+admin'] : undefined) ?? expected.tap ?? [];
}

async function sees(
  what: string,
  expected: readonly string[],
  ask: () => Promise<readonly string[]>,
): Promise<void> {
  let got: readonly string[] = [];
  const wanted = [...expected].sort().join('\n');
  try {
    await waitUntil(
      what,
      async () => {
        got = await ask();
        return [...got].sort().join('\n') === wanted;
      },
      patienceMs,
    );
  } catch (error) {
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`, {
      cause: error,
    });
  }
}

/** The status of the answer; "none" if there is none within two seconds. */
function call(port: number, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, headers, agent: false, signal: AbortSignal.timeout(2_000) };
    get(options, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    }).on('error', () => resolve('none'));
  });
}

async function answers(
  port: number,
  headers: Readonly<Record<string, string>>,
  expected: string,
): Promise<void> {
  await waitUntil(
    `a request with ${JSON.stringify(headers)} gets ${expected}`,
    async () => (await call(port, headers)) === expected,
    patienceMs,
  );
}

async function onDemand(stage: Stage): Promise<void> {
  const { server, put, port, shows, begin, backendPort } = stage;
  const [hosts, clusters, scopes] = [await port('hosts'), await port('clusters'), await port('scopes')];
  put('1', mesh.hostsListener(hosts), mesh.clustersListener(clusters), mesh.scopesListener(scopes));
  put('1', mesh.hostsRoutes(), mesh.routes('routes-1'));
  put('1', ...['one', 'two', 'three'].map((key) => mesh.scope(`scope-${key}`, key, 'routes-1')));
  put('1', mesh.cluster('cluster-a', backendPort), mesh.virtualHost('first', ['first.example'], 'cluster-a'));
  put('1', mesh.filterConfig(1_000));
  // What the management server has once a request asks for it.
  server.onRequest(({ resourceNames }) => {
    const has = (name: string): boolean => resourceNames.includes(name);
    if (has('routes-v/second.example')) put('2', mesh.virtualHost('second', ['second.example'], 'cluster-a'));
    if (has('cluster-b')) put('2', mesh.cluster('cluster-b', backendPort));
  });
  await stage.startEnvoy();
  const all = [CDS.typeUrl, VHDS.typeUrl];
  const first = ['cluster-a', 'routes-v/first'].map((name) => `${name} ACKED 1`);
  await shows('first answers', all, { tap: first, admin: ['cluster-a ACTIVE 1'] }, {});

  begin('requests');
  await answers(hosts, { host: 'first.example' }, '200');
  await answers(hosts, { host: 'second.example' }, '200');
  await answers(hosts, { host: 'nohost.example' }, 'none');
  await answers(clusters, { 'x-cluster': 'cluster-b' }, '200');
  await answers(clusters, { 'x-cluster': 'made-up' }, '503');
  await answers(scopes, { 'x-scope': 'k=three' }, '200');
  await answers(scopes, { 'x-scope': 'k=none' }, '404');
  const requested = ['cluster-b ACKED 2', 'routes-v/second ACKED 2'];
  const madeUp = ['made-up DOES_NOT_EXIST', 'routes-v/nohost.example DOES_NOT_EXIST'];
  const held = [...first, ...requested, ...madeUp];
  const inDump = ['cluster-a ACTIVE 1', 'cluster-b ACTIVE 2'];
  await shows('names of requests are no issue', all, { tap: held, admin: inDump }, {});

  put('3', mesh.virtualHost('first', ['first.example', 'first.example'], 'cluster-a'));
  const nacked = held.map((row) => (row.startsWith('routes-v/first') ? 'routes-v/first NACKED 1' : row));
  await shows(
    'a virtual host is rejected',
    all,
    { tap: nacked, admin: [...inDump, '(the type) NACKED'] },
    {
      tap: ['Virtual host routes-v/first is rejected'],
      admin: ['VHDS response is rejected'],
    },
  );
  await answers(hosts, { host: 'first.example' }, '200');
  put('4', mesh.virtualHost('first', ['first.example'], 'cluster-a'));
  server.removeResource(everyNode, VHDS.typeUrl, 'routes-v/second', '5');
  const last = held.map((row) =>
    row.replace('first ACKED 1', 'first ACKED 4').replace('second ACKED', 'second DOES_NOT_EXIST'),
  );
  await shows(
    'a removed virtual host is kept',
    all,
    { tap: last, admin: inDump },
    { tap: ['Virtual host routes-v/second does not exist'] },
  );
  await answers(hosts, { host: 'second.example' }, '200');
}

async function collections({ server, put, port, shows, backendPort, ...stage }: Stage): Promise<void> {
  const folder = (type: string) => `xdstp://shop/envoy.config.${type}/mesh`;
  const [clusters, listeners] = [folder('cluster.v3.Cluster'), folder('listener.v3.Listener')];
  const member = (name: string, more?: object) => mesh.cluster(`${clusters}/${name}`, backendPort, more);
  const web = await port('web');
  put('1', mesh.plainListener(`${listeners}/web`, web), member('a'), member('b'));
  await stage.startEnvoy({
    lds_resources_locator: `${listeners}/*`,
    cds_resources_locator: `${clusters}/*`,
  });
  const all = [CDS.typeUrl, LDS.typeUrl];
  const states = (state: string, b = state, version = '1') => [
    ...[`${listeners}/web ${state} 1`, `${clusters}/a ${state} 1`, `${clusters}/b ${b} ${version}`],
  ];
  await shows('first answers', all, { tap: states('ACKED'), admin: states('ACTIVE') }, {});
  await answers(web, {}, '200');
  put('2', member('b', { connect_timeout: '0s' }));
  await shows(
    'a cluster is rejected',
    all,
    { tap: states('ACKED', 'NACKED'), admin: [...states('ACTIVE'), '(the type) NACKED'] },
    {
      tap: [`Cluster ${clusters}/b is rejected`],
      admin: ['CDS response is rejected'],
    },
  );
  put('3', member('b', { connect_timeout: '3s' }));
  server.removeResource(everyNode, CDS.typeUrl, `${clusters}/a`, '4');
  const without = (rows: readonly string[]) => rows.filter((row) => !row.includes('/a '));
  await shows(
    'the next one is accepted, and the other one removed',
    all,
    { tap: without(states('ACKED', 'ACKED', '3')), admin: without(states('ACTIVE', 'ACTIVE', '3')) },
    {},
  );
}

async function sentAgain({ put, server, port, shows, backendPort, ...stage }: Stage): Promise<void> {
  const ring = (name: string, minimum: number, maximum = 20): Resource =>
    mesh.cluster(name, backendPort, {
      lb_policy: 'RING_HASH',
      ring_hash_lb_config: { minimum_ring_size: String(minimum), maximum_ring_size: String(maximum) },
    });
  const push = (version: string, ...set: readonly Resource[]) =>
    server.update(everyNode, CDS.typeUrl, { set, removed: [] }, version);
  put('1', mesh.plainListener('web', await port('web')));
  push('v1', ring('a', 10), ring('b', 10));
  await stage.startEnvoy();
  const all = [CDS.typeUrl];
  await shows(
    'first answers',
    all,
    { tap: ['a ACKED v1', 'b ACKED v1'], admin: ['a ACTIVE v1', 'b ACTIVE v1'] },
    {},
  );
  push('v2', ring('a', 30), ring('b', 10));
  const issues = ['Cluster a is rejected'];
  const nacked = ['a NACKED v1', 'b ACKED v1'];
  const inDump = ['a NACKED v1', 'b ACTIVE v1'];
  await shows('a cluster is rejected', all, { tap: nacked, admin: inDump }, { tap: issues, admin: issues });
  push('v3', ring('a', 30), ring('b', 10));
  const acked = ['a NACKED v1', 'b ACKED v3'];
  await shows('the same is ACKED', all, { tap: acked, admin: inDump }, { tap: issues, admin: issues });
  push('v4', ring('a', 10, 30), ring('b', 10));
  await shows(
    'the next one is accepted',
    all,
    { tap: ['a ACKED v4', 'b ACKED v4'], admin: ['a ACTIVE v4', 'b ACTIVE v1'] },
    {},
  );
}

/** Envoy ACKs on its next stream a cluster and a secret that it rejected, and uses neither. */
async function connectedAgain({ put, server, port, shows, backendPort, ...stage }: Stage): Promise<void> {
  const ring = (name: string, minimum: number): Resource =>
    mesh.cluster(name, backendPort, {
      lb_policy: 'RING_HASH',
      ring_hash_lb_config: { minimum_ring_size: String(minimum), maximum_ring_size: '20' },
    });
  const secure = await port('secure');
  put('v1', mesh.brokenSecret('cert'));
  put('v1', mesh.secureListener('secure', secure, 'cert'));
  server.update(everyNode, CDS.typeUrl, { set: [ring('a', 30), ring('b', 10)], removed: [] }, 'v1');
  const accepted = new Set<string>();
  server.onVerdict(({ typeUrl, accepted: isAccepted }) => {
    if (isAccepted) accepted.add(typeUrl);
  });
  await stage.startEnvoy();
  const issues = ['Cluster a is rejected', 'Secret cert is rejected'];
  const rejected = { tap: ['a NACKED', 'b ACKED v1', 'cert NACKED'] };
  await shows('rejected from the start', [CDS.typeUrl, SDS.typeUrl], rejected, { tap: issues });
  accepted.clear();
  server.stopStreams();
  await waitUntil(
    'both types are ACKed on the next stream',
    async () => accepted.has(CDS.typeUrl) && accepted.has(SDS.typeUrl),
    patienceMs,
  );
  await answers(secure, {}, 'none');
  const again = { tap: ['a NACKED', 'b ACKED v1', 'cert ACKED v1'] };
  await shows('ACKed on the next stream', [CDS.typeUrl, SDS.typeUrl], again, { tap: issues });
}
