import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Issue, IssuePage } from '@/lib/views/issues/schema';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startEnvoyProcess } from '../envoy/start';
import { type EnvoyRunOptions, momentsOfEnvoy, runMoments } from '../moment-run';
import { startXdscope } from '../xdscope';

export const chapter = 'request-errors';

const filters = 'type.googleapis.com/envoy.extensions.filters';
const slowMs = 300;
const address = (port: number) => ({
  address: { socket_address: { address: '127.0.0.1', port_value: port } },
});

/** Each cluster fails requests for another reason; the text is in the issue of the cluster. Empty: it has none. */
const expected = {
  good: '',
  bad: 'answered with 5xx',
  breaker: 'rejected by a circuit breaker at its limit',
  closed: 'attempts to connect failed',
  timeout: 'timed out',
} as const;
/** The same of clusters of TCP proxies, of which connections are counted. */
const expectedOverTcp = {
  closed: 'attempts to connect failed (upstream_cx_connect_fail)',
  empty: 'found no usable host',
  full: 'at its limit (upstream_cx_overflow',
} as const;
type Cluster = keyof typeof expected;
type TcpCluster = keyof typeof expectedOverTcp;

/** Sends requests to clusters of an Envoy, and compares the issues that follow from its counters with the answers. */
export async function runRequestErrors(options: EnvoyRunOptions): Promise<void> {
  const { prepared, print } = options;
  await runMoments(momentsOfEnvoy(chapter, options), async (run) => {
    const { workDir, title } = run;
    const listen = async (answer: RequestListener): Promise<number> => {
      const server = createServer(answer);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      run.stopAtEnd(() => void server.close());
      return (server.address() as AddressInfo).port;
    };
    const slow = await listen((_, response) => void setTimeout(() => response.end('ok'), slowMs));
    const ports: Record<Cluster, number> = {
      good: await listen((_, response) => void response.end('ok')),
      bad: await listen((_, response) => void response.writeHead(500).end()),
      ...{ breaker: slow, closed: await freePort(), timeout: slow },
    };
    const web = await freePort();
    const overTcp = {
      closed: { port: await freePort(), hosts: [ports.closed] },
      empty: { port: await freePort(), hosts: [] },
      full: { port: await freePort(), hosts: [ports.good], limit: 0 },
    };
    const envoy = await startEnvoyProcess(prepared, workDir, (adminPort) =>
      withTcpProxies(bootstrapOf(adminPort, web, ports), overTcp),
    );
    run.stopAtEnd(() => envoy.stop());
    const servers = ['127.0.0.1:1'] as const;
    const xdscope = await startXdscope({ vantage: 'admin', servers, entrances: servers, workDir });
    run.stopAtEnd(() => xdscope.stop());
    await xdscope.observe(envoy.adminTarget);
    // What Envoy counted before the first poll is no issue.
    const issues = async (): Promise<readonly Issue[]> => (await xdscope.get<IssuePage>('issues')).items;
    await waitUntil('xdscope has polled twice', async () => {
      const polls = await xdscope.polls();
      return Number.isFinite(polls) && polls >= 2;
    });
    for (const name of Object.keys(expected) as Cluster[]) {
      run.moment = name;
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => (await fetch(`http://127.0.0.1:${web}/${name}`)).status),
      );
      const failed = answers.filter((status) => status >= 500).length;
      const isOf = ({ kind, resource }: Issue): boolean => kind === 'load-errors' && resource?.name === name;
      if (expected[name] === '') {
        const polls = await xdscope.polls();
        await waitUntil('xdscope has polled', async () => (await xdscope.polls()) >= polls + 3);
        if (failed > 0 || (await issues()).some(isOf)) throw new Error(`expected no failure, got ${failed}`);
      } else {
        // A poll may fall between the answers.
        const text = await waitUntil(
          `xdscope states ${failed} of ${answers.length} for ${name}`,
          async () => {
            const issue = (await issues()).find(isOf);
            const texts = issue?.cause.map((step) => step.text).join(' -> ') ?? '';
            if (texts.includes(expected[name]) && texts.startsWith(`${failed} of ${answers.length} `))
              return `${issue?.impact.text}: ${texts}`;
            throw new Error(`expected "${expected[name]}", got "${texts}"`);
          },
        );
        print(`${title.padEnd(22)} ${name.padEnd(24)} ${text}`);
      }
      run.pass();
    }
    for (const name of Object.keys(expectedOverTcp) as TcpCluster[]) {
      run.moment = `tcp ${name}`;
      await Promise.all(Array.from({ length: 20 }, () => connectAndWait(overTcp[name].port)));
      const text = await waitUntil(`xdscope states 20 failed connections to tcp-${name}`, async () => {
        const issue = (await issues()).find(({ resource }) => resource?.name === `tcp-${name}`);
        const texts = issue?.cause.map((step) => step.text).join(' -> ') ?? '';
        const isStated =
          issue?.title === `Connections to cluster tcp-${name} fail` && texts.startsWith('20 of 20 ');
        if (isStated && texts.includes(expectedOverTcp[name])) return `${issue.impact.text}: ${texts}`;
        throw new Error(`expected "${expectedOverTcp[name]}", got "${issue?.title}: ${texts}"`);
      });
      print(`${title.padEnd(22)} ${`tcp-${name}`.padEnd(24)} ${text}`);
      run.pass();
    }
  });
}

/** Resolves when the proxy has ended the connection. */
function connectAndWait(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('close', () => resolve()).on('error', () => undefined);
    socket.resume();
  });
}

interface TcpTarget {
  readonly port: number;
  readonly hosts: readonly number[];
  /** max_connections of its circuit breaker. */
  readonly limit?: number;
}

type Bootstrap = ReturnType<typeof bootstrapOf>;

function withTcpProxies(bootstrap: Bootstrap, targets: Readonly<Record<TcpCluster, TcpTarget>>): Bootstrap {
  const { listeners, clusters } = bootstrap.static_resources;
  const all = Object.entries<TcpTarget>(targets).map(([name, target]) => ({
    ...target,
    name: `tcp-${name}`,
  }));
  return {
    ...bootstrap,
    static_resources: {
      listeners: [
        ...listeners,
        ...all.map(({ name, port }) => ({
          name,
          ...address(port),
          filter_chains: [
            {
              filters: [
                {
                  name: 'tcp',
                  typed_config: {
                    '@type': `${filters}.network.tcp_proxy.v3.TcpProxy`,
                    ...{ stat_prefix: name, cluster: name },
                  },
                },
              ],
            },
          ],
        })),
      ],
      clusters: [
        ...clusters,
        ...all.map(({ name, hosts, limit }) => ({
          ...clusterOf(name, hosts),
          ...(limit !== undefined && { circuit_breakers: { thresholds: [{ max_connections: limit }] } }),
        })),
      ],
    },
  };
}

function clusterOf(name: string, hosts: readonly number[]): object {
  const endpoints = [{ lb_endpoints: hosts.map((port) => ({ endpoint: address(port) })) }];
  return {
    ...{ name, type: 'STATIC', connect_timeout: '1s' },
    load_assignment: { cluster_name: name, endpoints },
  };
}

function bootstrapOf(adminPort: number, web: number, ports: Readonly<Record<Cluster, number>>) {
  const names = Object.keys(ports) as Cluster[];
  const limits = { thresholds: [{ max_connections: 1, max_pending_requests: 1, max_requests: 1 }] };
  const routes = names.map((name) => ({
    match: { prefix: `/${name}` },
    route: { cluster: name, ...(name === 'timeout' && { timeout: '0.1s' }) },
  }));
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'web',
    route_config: { name: 'routes', virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [{ name: 'router', typed_config: { '@type': `${filters}.http.router.v3.Router` } }],
  };
  return {
    node: { id: chapter, cluster: 'peers' },
    admin: address(adminPort),
    static_resources: {
      listeners: [
        {
          name: 'web',
          ...address(web),
          filter_chains: [{ filters: [{ name: 'http', typed_config: manager as object }] }],
        },
      ],
      clusters: names.map((name): object => ({
        ...clusterOf(name, [ports[name]]),
        ...(name === 'breaker' && { circuit_breakers: limits }),
      })),
    },
  };
}
