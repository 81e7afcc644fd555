import { chmodSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startChild } from '../child';
import type { ControlPlane } from '../control-plane';
import type { ClientOptions, Prepared, RunningClient } from '../peer';
import { EnvoyAccount } from './account';

export const http2 = {
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: { http2_protocol_options: {} },
  },
};

export interface EnvoyProcess {
  readonly adminTarget: string;
  /** Undefined while it runs; then why it ended. */
  ended(): string | undefined;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts Envoy with the bootstrap for an admin port. */
export async function startEnvoyProcess(
  { dir }: Prepared,
  workDir: string,
  bootstrap: (adminPort: number) => object,
): Promise<EnvoyProcess> {
  const binary = path.join(dir, 'envoy', '_bin', 'envoy');
  chmodSync(binary, 0o755);
  const adminPort = await freePort();
  const config = path.join(workDir, 'envoy.json');
  writeFileSync(config, JSON.stringify(bootstrap(adminPort), null, 2));
  // The base id names the shared memory of a process; two Envoys must not have the same.
  const baseId = String(adminPort);
  const flags = ['--base-id', baseId, '--concurrency', '1', '--disable-hot-restart', '--log-level', 'warn'];
  const child = startChild(binary, ['--config-path', config, ...flags], {
    logFile: path.join(workDir, 'envoy.log'),
  });
  const adminTarget = `127.0.0.1:${adminPort}`;
  await waitUntil('the admin interface of Envoy answers', async () => {
    const ended = child.ended();
    return ended !== undefined || (await fetch(`http://${adminTarget}/server_info`)).ok;
  });
  return { adminTarget, ended: () => child.ended(), stop: (signal) => child.stop(signal) };
}

export async function startEnvoy(prepared: Prepared, options: ClientOptions): Promise<RunningClient> {
  const { workDir } = options;
  const child = await startEnvoyProcess(prepared, workDir, (port) => bootstrapOf(options, port));
  const { adminTarget } = child;
  const { calls, stop: stopCalls } = callListeners(options.listenerPorts);
  const account = new EnvoyAccount(adminTarget, options.protocol);
  return {
    adminTarget,
    async account(server: ControlPlane) {
      const ended = child.ended();
      if (ended !== undefined) throw new Error(`Envoy ended: ${ended}, see ${workDir}/envoy.log`);
      return { rows: await account.read(await server.events()), calls: Object.fromEntries(calls) };
    },
    ended: () => child.ended(),
    async stop() {
      stopCalls();
      await child.stop();
    },
  };
}

export function bootstrapOf(
  { nodeId, servers: [server], protocol }: ClientOptions,
  adminPort: number,
): object {
  const socket = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  const source = { ads: {}, resource_api_version: 'V3' };
  const lbEndpoints = [{ endpoint: { address: socket(Number(server.split(':')[1])) } }];
  return {
    node: { id: nodeId, cluster: 'peers', locality: { region: 'here', zone: 'here-a' } },
    admin: { address: socket(adminPort) },
    dynamic_resources: {
      ads_config: {
        api_type: protocol === 'delta' ? 'DELTA_GRPC' : 'GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'management-server' } }],
      },
      lds_config: source,
      cds_config: source,
    },
    static_resources: {
      clusters: [
        {
          name: 'management-server',
          type: 'STATIC',
          connect_timeout: '1s',
          typed_extension_protocol_options: http2,
          load_assignment: {
            cluster_name: 'management-server',
            endpoints: [{ lb_endpoints: lbEndpoints }],
          },
        },
      ],
    },
  };
}

/** One request after the other through each listener. `calls`: the newest result of each. */
export function callListeners(ports: Readonly<Record<string, number>>): {
  readonly calls: ReadonlyMap<string, string>;
  stop(): void;
} {
  const calls = new Map<string, string>();
  const call = (name: string, port: number): void => {
    // A draining listener serves open connections, and accepts none: each request has a connection of its own.
    const options = { host: '127.0.0.1', port, agent: false, signal: AbortSignal.timeout(1_000) };
    get(options, (response) => {
      const { statusCode = 0 } = response.on('error', () => {}).resume();
      calls.set(name, statusCode === 200 ? 'ok' : `error ${statusCode}`);
    }).on('error', (error) => calls.set(name, `error ${error.message}`));
  };
  const timer = setInterval(() => {
    for (const [name, port] of Object.entries(ports)) call(name, port);
  }, 200);
  return { calls, stop: () => clearInterval(timer) };
}
