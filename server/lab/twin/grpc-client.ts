import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '@/lib/diff/json-object';
import type { ExplainRequest } from '@/lib/requests/request';
import { edsName } from '@/lib/twin/rewrite-cluster';
import { loopback, type Twin } from '@/lib/twin/twin';
import { CDS } from '@/lib/xds/resource-type';
import type { Clock } from '../../observe';
import { type ClientProgram, startProgram } from '../interop-runs/client-program';
import type { TwinRpcs } from '../twin-client/twin-client-program';
import type { ObservedRequest } from './access-log';
import { mostTwinBytes, watchMemory } from './memory-watch';
import type { TwinNode } from './twin-bootstrap';

interface SendRpcsOptions {
  readonly program: ClientProgram;
  readonly node: TwinNode;
  readonly adsPort: number;
  /** The name of the listener, which the target of the channel leads to. */
  readonly listener: string;
  /** The names of the resources, whose authorities the client must know. */
  readonly names: readonly string[];
  readonly request: ExplainRequest;
  readonly times: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly mostMemoryBytes?: number;
}

const rpcResult = z.object({
  code: z.number().int(),
  details: z.string(),
  backend: z.number().int().optional(),
});

/** How an RPC ended. `backend`: the port of the backend that answered, by the header `xdscope-backend` of its response. */
export type RpcResult = z.infer<typeof rpcResult>;

/** A twin ends after 30 s, also if an RPC does not. */
const deadlineMs = 20_000;
const stderrChars = 4_000;
const lineChars = 200;

/** Fields that a gRPC client sets itself. */
const ofClient =
  /^(?::.*|host|connection|content-type|content-length|te|user-agent|transfer-encoding|grpc-.*)$/i;

/**
 * Sends the RPC of the request through a gRPC client that gets its config from the port. Rejects if the client ends early, or uses
 * more memory than a twin may.
 */
export async function sendRpcs(options: SendRpcsOptions): Promise<RpcResult[]> {
  const { request, times, signal, clock, mostMemoryBytes = mostTwinBytes } = options;
  const metadata = request.headers.filter(([name]) => !ofClient.test(name));
  const rpcs: TwinRpcs = {
    ...{ target: 'xds:///twin', authority: request.authority, path: request.path },
    ...{ metadata, times, deadlineMs },
  };
  const child = startProgram(options.program, {
    args: [],
    bootstrap: JSON.stringify(buildBootstrap(options)),
    // Go collects garbage before it reaches the limit.
    environment: {
      GRPC_EXPERIMENTAL_XDS_FEDERATION: 'true',
      GOMEMLIMIT: String(Math.floor(mostMemoryBytes * 0.8)),
    },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // The program that ends closes the pipe; its end is reported below.
  child.stdin?.on('error', () => undefined).write(`${JSON.stringify(rpcs)}\n`);
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  let tooLarge: Error | undefined;
  const unwatch =
    child.pid === undefined
      ? undefined
      : watchMemory(child.pid, {
          ...{ most: mostMemoryBytes, clock },
          onExceeded: (bytes) => {
            tooLarge = new Error(
              `expected the gRPC client to use at most ${mostMemoryBytes} bytes of memory, got ${bytes}`,
            );
            kill();
          },
        });
  try {
    const results = await collect(child, times);
    signal.throwIfAborted();
    return results;
  } catch (error) {
    throw tooLarge ?? error;
  } finally {
    unwatch?.();
    signal.removeEventListener('abort', kill);
    kill();
    await ended;
  }
}

function collect(child: ChildProcess, times: number): Promise<RpcResult[]> {
  const results: RpcResult[] = [];
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrChars);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    if (child.stdout === null) throw new Error('expected a pipe as the standard output of the gRPC client');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const result = rpcResult.safeParse(parseJson(line));
      if (!result.success) {
        const shown = JSON.stringify(line.slice(0, lineChars));
        reject(new Error(`expected the result of an RPC from the gRPC client, got ${shown}`));
        return;
      }
      results.push(result.data);
      if (results.length === times) resolve(results);
    });
    child.once('close', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const reason = /^\w*Error: .*$/m.exec(stderr)?.[0] ?? stderr.trim();
      reject(new Error(`the gRPC client ended with ${how}${reason === '' ? '' : `: ${reason}`}`));
    });
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function buildBootstrap({ node, adsPort, listener, names }: SendRpcsOptions): object {
  const authorities = names.flatMap((name) => /^xdstp:\/\/([^/]+)\//.exec(name)?.[1] ?? []);
  const { id, cluster, locality, metadata } = node;
  return {
    xds_servers: [
      {
        server_uri: `${loopback}:${adsPort}`,
        channel_creds: [{ type: 'insecure' }],
        server_features: ['xds_v3'],
      },
    ],
    node: {
      ...{ id, cluster },
      locality: { region: locality.region, zone: locality.zone, sub_zone: locality.subZone },
      ...(typeof metadata === 'object' && metadata !== null && { metadata }),
    },
    // The target of the twin has no name of its own.
    client_default_listener_resource_name_template: listener,
    authorities: Object.fromEntries(authorities.map((authority) => [authority, {}])),
  };
}

/** What the client did, as far as the backend that answered shows it. */
export function observeRpc({ code, details, backend: port }: RpcResult, twin: Twin): ObservedRequest {
  const backend = twin.backends.find((each) => each.port === port);
  const clusters = twin.resources.flatMap(({ typeUrl, name, json }) =>
    typeUrl === CDS.typeUrl && isJsonObject(json) ? [{ name, json }] : [],
  );
  // Several clusters may have the same endpoints.
  const [cluster, other] = clusters.filter(({ name, json }) => (edsName(json) ?? name) === backend?.cluster);
  const aggregates = cluster && other === undefined ? findAggregates(cluster.name, clusters) : [];
  return {
    grpcCode: String(code),
    ...(details !== '' && { details }),
    ...(cluster && other === undefined && { cluster: cluster.name }),
    ...(aggregates.length > 0 && { aggregates }),
    ...(backend && { backend }),
  };
}

interface NamedCluster {
  readonly name: string;
  readonly json: JsonObject;
}

/** The clusters that contain the cluster, directly or by others. */
function findAggregates(name: string, clusters: readonly NamedCluster[]): string[] {
  const found = new Set([name]);
  for (const member of found)
    for (const { name: owner, json } of clusters) if (membersOf(json).includes(member)) found.add(owner);
  found.delete(name);
  return [...found];
}

function membersOf({ clusterType }: JsonObject): unknown[] {
  const config = isJsonObject(clusterType) ? clusterType.typedConfig : undefined;
  return isJsonObject(config) && Array.isArray(config.clusters) ? config.clusters : [];
}
