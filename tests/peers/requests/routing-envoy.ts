import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ExplainRequest } from '@/lib/requests/request';
import { formatStatusCode } from '@/lib/xds/status-code';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startEnvoyProcess } from '../envoy/start';
import type { Prepared } from '../peer';
import type { Drawn } from './draw-pairs';
import { clusters, emptyCluster, subsetCluster, subsets } from './draw-routes';

const managerType =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const routerType = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';

/** What Envoy did with one request, by its access log and its answer. */
export interface Observed {
  readonly status: number;
  readonly flag: string;
  readonly route: string;
  readonly cluster: string;
  readonly location: string;
  /** As in "NOT_FOUND"; empty without the header grpc-status. */
  readonly grpcCode: string;
}

type Answer = Pick<Observed, 'status' | 'location' | 'grpcCode'>;

export interface RoutingEnvoy {
  /** The listeners in proto3 JSON, one for each config. */
  readonly listeners: readonly object[];
  readonly clusters: readonly object[];
  observe(listener: number, request: ExplainRequest): Promise<void>;
  /** Waits for the access log of each request, in the order in which they were sent. */
  observed(): Promise<readonly Observed[]>;
  stop(): Promise<void>;
}

/** An Envoy with one listener for each config, whose clusters have a backend that answers 200. */
export async function startRoutingEnvoy(
  prepared: Prepared,
  configs: readonly Drawn[],
  workDir: string,
): Promise<RoutingEnvoy> {
  mkdirSync(workDir, { recursive: true });
  const backends = await Promise.all(subsets.map(startBackend));
  const backendPorts = backends.map((each) => (each.address() as AddressInfo).port);
  const logFile = path.join(workDir, 'access.log');
  const ports: number[] = [];
  while (ports.length < configs.length) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  const listeners = configs.map((config, index) => listenerOf(config, index, ports[index] ?? 0, logFile));
  const ofClusters = clustersOf(backendPorts);
  const envoy = await startEnvoyProcess(prepared, workDir, (adminPort) => ({
    admin: { address: { socketAddress: { address: '127.0.0.1', portValue: adminPort } } },
    staticResources: { listeners, clusters: ofClusters },
  }));
  const ended = envoy.ended();
  if (ended !== undefined)
    throw new Error(
      `Envoy ended: ${ended}\n${readFileSync(path.join(workDir, 'envoy.log'), 'utf8').slice(-2_000)}`,
    );
  const answers: Answer[] = [];
  return {
    listeners,
    clusters: ofClusters,
    async observe(listener, request) {
      const id = answers.length;
      answers.push({ status: 0, location: '', grpcCode: '' });
      answers[id] = await send(ports[listener] ?? 0, request, id);
    },
    async observed() {
      const byCase = new Map<string, string[]>();
      await waitUntil('the access log has every request', () => {
        byCase.clear();
        for (const line of readFileSync(logFile, 'utf8').split('\n')) {
          const parts = line.split('|');
          if (parts.length === 5) byCase.set(parts[0] ?? '', parts);
        }
        return byCase.size >= answers.length;
      });
      return answers.map((answer, id) => {
        const [, route = '', cluster = '', , flag = ''] = byCase.get(String(id)) ?? [];
        const plain = (text: string): string => (text === '-' ? '' : text);
        return { ...answer, route: plain(route), cluster: plain(cluster), flag: plain(flag) };
      });
    },
    async stop() {
      await envoy.stop();
      for (const backend of backends) {
        backend.closeAllConnections();
        await new Promise((resolve) => backend.close(resolve));
      }
    },
  };
}

/** The listener of a config in proto3 JSON. */
export function listenerOf(
  { manager, virtualHosts, table, filters }: Drawn,
  index: number,
  portValue: number,
  logFile: string,
): object {
  const name = `l${index}`;
  const accessLog = {
    name: 'file',
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog',
      path: logFile,
      logFormat: {
        textFormatSource: {
          inlineString:
            '%REQ(X-CASE)%|%ROUTE_NAME%|%UPSTREAM_CLUSTER_RAW%|%RESPONSE_CODE%|%RESPONSE_FLAGS%\n',
        },
      },
    },
  };
  const typedConfig = {
    '@type': managerType,
    statPrefix: name,
    ...manager,
    ...(!('scopedRoutes' in manager) && {
      routeConfig: { name, validateClusters: false, ...table, virtualHosts },
    }),
    httpFilters: [...filters, { name: 'router', typedConfig: { '@type': routerType } }],
    accessLog: [accessLog],
  };
  return {
    ...{ name, address: { socketAddress: { address: '127.0.0.1', portValue } } },
    filterChains: [{ filters: [{ name: 'hcm', typedConfig }] }],
  };
}

/** The clusters in proto3 JSON; `ports`: of one backend for each subset. */
export function clustersOf(ports: readonly number[]): object[] {
  return [
    ...[...clusters, emptyCluster].map((name) =>
      clusterOf(name, name === emptyCluster ? undefined : ports[0]),
    ),
    clusterWithSubsets(ports),
  ];
}

function clusterOf(name: string, portValue: number | undefined): object {
  const address = { socketAddress: { address: '127.0.0.1', portValue } };
  const lbEndpoints = portValue === undefined ? [] : [{ endpoint: { address } }];
  return {
    ...{ name, type: 'STATIC', connectTimeout: '1s' },
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints }] },
  };
}

async function startBackend(): Promise<Server> {
  const backend = createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  return backend;
}

function clusterWithSubsets(ports: readonly number[]): object {
  const lbEndpoints = subsets.map((k, at) => ({
    endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue: ports[at] } } },
    metadata: { filterMetadata: { 'envoy.lb': { k } } },
  }));
  return {
    ...{ name: subsetCluster, type: 'STATIC', connectTimeout: '1s' },
    lbSubsetConfig: { fallbackPolicy: 'NO_FALLBACK', subsetSelectors: [{ keys: ['k'] }] },
    loadAssignment: { clusterName: subsetCluster, endpoints: [{ lbEndpoints }] },
  };
}

function send(
  port: number,
  { method, authority, path: target, headers }: ExplainRequest,
  id: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lines = [['host', authority], ['x-case', String(id)], ['content-length', '0'], ...headers];
    httpRequest(
      { host: '127.0.0.1', port, method, path: target, headers: lines.flat(), agent: false, setHost: false },
      (response) => {
        const { statusCode = 0 } = response.resume();
        const { location = '', 'grpc-status': code } = response.headers;
        const grpcCode = code === undefined ? '' : formatStatusCode(Number(code));
        response.on('end', () => resolve({ status: statusCode, location, grpcCode }));
      },
    )
      .on('error', reject)
      .end();
  });
}
