import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressOf, configDump, nodeOf } from './builders/envoy-config-dump';

/** An answer: JSON, bytes, another status, nothing, or half of a body before the connection ends. */
export type AdminReaction =
  | { readonly json: unknown }
  | { readonly text: string; readonly contentType?: string; readonly status?: number }
  | { readonly cutShort: string }
  | 'silence';

/** The state that the admin interface reports. Tests change it while it runs. */
export interface EnvoyState {
  nodeId: string;
  version: string;
  clusters: Record<string, ClusterState>;
  listeners: Record<string, ListenerState>;
  /** Absent if this Envoy has never routed a request. */
  routes?: Record<string, { readonly version: string }>;
  secrets?: Record<string, { readonly version: string }>;
  /** Health by cluster and address. */
  hosts: Record<string, Record<string, object>>;
  certificates: readonly object[];
  /** The answer of /stats: one "name: value" a line. Absent: nothing. */
  statistics?: string;
}

export interface ClusterState {
  readonly version: string;
  readonly error?: string;
  readonly stage?: 'warming';
  /** Text that enlarges the dump. */
  readonly filler?: string;
}

export interface ListenerState {
  readonly version: string;
  readonly warming?: string;
  readonly draining?: string;
  readonly error?: { readonly details: string; readonly version: string };
}

export interface EnvoyAdmin {
  readonly target: string;
  readonly port: number;
  readonly state: EnvoyState;
  /** Answers by path and query that replace those of Envoy. */
  readonly reactions: Map<string, AdminReaction>;
  readonly questions: string[];
  /** The sizes of the bodies of complete answers in bytes, in order of the requests. */
  readonly sizes: readonly number[];
  readonly mostAtOnce: () => number;
  close(): Promise<void>;
}

/** An HTTP server like the admin interface of Envoy 1.30 (envoy.admin.v3, snake case). `port`: or the path of a socket. */
export async function startEnvoyAdmin(state: EnvoyState, port: number | string = 0): Promise<EnvoyAdmin> {
  const reactions = new Map<string, AdminReaction>();
  const questions: string[] = [];
  let open = 0;
  let mostAtOnce = 0;
  let asked = 0;
  const sizes: number[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '';
    questions.push(url);
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    response.on('close', () => {
      open -= 1;
    });
    asked += 1;
    sizes.push(react(reactions.get(url) ?? answerOf(url, state, asked), response));
  });
  const where = typeof port === 'string' ? { path: port } : { port, host: '127.0.0.1' };
  await new Promise<void>((resolve) => server.listen(where, resolve));
  const bound = typeof port === 'string' ? 0 : (server.address() as AddressInfo).port;
  return {
    target: typeof port === 'string' ? `unix:${port}` : `127.0.0.1:${bound}`,
    port: bound,
    state,
    reactions,
    questions,
    sizes,
    mostAtOnce: () => mostAtOnce,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns the bytes of a whole body. */
function react(reaction: AdminReaction, response: ServerResponse): number {
  if (reaction === 'silence') return 0;
  if ('cutShort' in reaction) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000_000 });
    response.write(reaction.cutShort, () => response.destroy());
    return 0;
  }
  if ('text' in reaction) {
    const { text, contentType = 'text/plain', status = 200 } = reaction;
    response.writeHead(status, { 'content-type': contentType }).end(text);
    return Buffer.byteLength(text);
  }
  const text = JSON.stringify(reaction.json, null, 1);
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  return Buffer.byteLength(text);
}

/** Counters increase with `asked`. */
function answerOf(url: string, state: EnvoyState, asked: number): AdminReaction {
  const { pathname, searchParams } = new URL(url, 'http://envoy');
  if (pathname === '/stats') return { text: filterLines(state.statistics ?? '', searchParams.get('filter')) };
  switch (url) {
    case '/config_dump?include_eds':
      return { json: configDump(state) };
    case '/server_info':
      return { json: serverInfo(state, asked) };
    case '/clusters?format=json':
      return { json: clusterStatuses(state, asked) };
    case '/listeners?format=json':
      return { json: listenerStatuses(state) };
    case '/certs':
      return { json: { certificates: state.certificates } };
    case '/init_dump':
      return { json: { unready_targets_dumps: [] } };
    default:
      return { text: 'invalid path. admin commands are:\n', status: 404 };
  }
}

function filterLines(text: string, filter: string | null): string {
  const isShown = (line: string): boolean => new RegExp(filter ?? '').test(line.replace(/: .*/, ''));
  return text.split('\n').filter(isShown).join('\n');
}

function serverInfo(state: EnvoyState, asked: number): object {
  return {
    version: `abc123/${state.version}/Clean/RELEASE/BoringSSL`,
    state: 'LIVE',
    hot_restart_version: '11.104',
    command_line_options: { concurrency: 2, config_path: '/etc/envoy.yaml', log_level: 'info' },
    node: nodeOf(state),
    uptime_current_epoch: `${asked}s`,
    uptime_all_epochs: `${asked}s`,
  };
}

function listenerStatuses(state: EnvoyState): object {
  const names = Object.keys(state.listeners);
  return { listener_statuses: names.map((name) => ({ name, local_address: addressOf('0.0.0.0:80') })) };
}

function clusterStatuses(state: EnvoyState, asked: number): object {
  return {
    cluster_statuses: Object.entries(state.hosts).map(([name, hosts]) => ({
      name,
      added_via_api: true,
      observability_name: name,
      host_statuses: Object.entries(hosts).map(([address, health]) => ({
        address: addressOf(address),
        stats: [
          { name: 'cx_connect_fail', value: '1' },
          ...[
            { name: 'rq_total', value: String(asked) },
            { name: 'rq_success', value: String(asked) },
            { name: 'rq_error' },
          ],
          { type: 'GAUGE', name: 'cx_active', value: '1' },
        ],
        health_status: health,
        weight: 1,
        locality: { region: 'r1', zone: 'z1' },
      })),
    })),
  };
}
