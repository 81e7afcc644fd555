import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
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
type Cluster = keyof typeof expected;

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
    const envoy = await startEnvoyProcess(prepared, workDir, (adminPort) =>
      bootstrapOf(adminPort, web, ports),
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
  });
}

function bootstrapOf(adminPort: number, web: number, ports: Readonly<Record<Cluster, number>>): object {
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
          filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
        },
      ],
      clusters: names.map((name) => ({
        ...{ name, type: 'STATIC', connect_timeout: '1s' },
        ...(name === 'breaker' && { circuit_breakers: limits }),
        load_assignment: {
          cluster_name: name,
          endpoints: [{ lb_endpoints: [{ endpoint: address(ports[name]) }] }],
        },
      })),
    },
  };
}
