import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What to do with a question: JSON, bytes, another status, nothing at all, or half of a body and then the end. */
export type AdminReaction =
  | { readonly json: unknown }
  | { readonly text: string; readonly contentType?: string; readonly status?: number }
  | { readonly cutShort: string }
  | 'silence';

/** What an Envoy holds, as its admin interface would tell it. Changed by the test while it runs. */
export interface EnvoyState {
  nodeId: string;
  version: string;
  clusters: Record<string, { readonly version: string; readonly error?: string; readonly stage?: 'warming' }>;
  listeners: Record<string, ListenerState>;
  /** By cluster: address -> health. */
  hosts: Record<string, Record<string, object>>;
  certificates: readonly object[];
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
  /** By path, with its query: instead of what Envoy would say. */
  readonly reactions: Map<string, AdminReaction>;
  readonly questions: string[];
  readonly mostAtOnce: () => number;
  close(): Promise<void>;
}

const type = (name: string): string => `type.googleapis.com/${name}`;
const admin = (name: string): string => type(`envoy.admin.v3.${name}`);
const lastUpdated = '2026-01-02T03:04:05.678Z';

/** An HTTP server that answers as the admin interface of Envoy 1.30 does (envoy.admin.v3, snake case). */
export async function startEnvoyAdmin(state: EnvoyState, port = 0): Promise<EnvoyAdmin> {
  const reactions = new Map<string, AdminReaction>();
  const questions: string[] = [];
  let open = 0;
  let mostAtOnce = 0;
  let asked = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '';
    questions.push(url);
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    response.on('close', () => {
      open -= 1;
    });
    asked += 1;
    react(reactions.get(url) ?? answerOf(url, state, asked), response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as AddressInfo;
  return {
    target: `127.0.0.1:${bound}`,
    port: bound,
    state,
    reactions,
    questions,
    mostAtOnce: () => mostAtOnce,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function react(reaction: AdminReaction, response: ServerResponse): void {
  if (reaction === 'silence') return;
  if ('cutShort' in reaction) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000_000 });
    response.write(reaction.cutShort, () => response.destroy());
    return;
  }
  if ('text' in reaction) {
    const { text, contentType = 'text/plain', status = 200 } = reaction;
    response.writeHead(status, { 'content-type': contentType }).end(text);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reaction.json, null, 1));
}

/** `asked` makes counters go up, as a living Envoy's do. */
function answerOf(url: string, state: EnvoyState, asked: number): AdminReaction {
  switch (url) {
    case '/server_info':
      return { json: serverInfo(state, asked) };
    case '/config_dump?include_eds':
      return { json: configDump(state) };
    case '/clusters?format=json':
      return { json: clusterStatuses(state, asked) };
    case '/certs':
      return { json: { certificates: state.certificates } };
    case '/init_dump':
      return { json: { unready_targets_dumps: [] } };
    default:
      return { text: 'invalid path. admin commands are:\n', status: 404 };
  }
}

function nodeOf({ nodeId, version }: EnvoyState): object {
  const [major, minor, patch] = version.split('.').map(Number);
  return {
    id: nodeId,
    cluster: 'front',
    locality: { region: 'r1', zone: 'z1' },
    user_agent_name: 'envoy',
    user_agent_build_version: { version: { major_number: major, minor_number: minor, patch } },
  };
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

export function configDump(state: EnvoyState): object {
  const cluster = (name: string, version: string) => ({
    version_info: version,
    cluster: {
      '@type': type('envoy.config.cluster.v3.Cluster'),
      name,
      type: 'EDS',
      alt_stat_name: version,
      eds_cluster_config: { eds_config: { ads: {} } },
    },
    last_updated: lastUpdated,
  });
  const entries = Object.entries(state.clusters);
  const listener = (name: string, version: string) => ({
    version_info: version,
    listener: { '@type': type('envoy.config.listener.v3.Listener'), name, stat_prefix: version },
    last_updated: lastUpdated,
  });
  return {
    configs: [
      {
        '@type': admin('BootstrapConfigDump'),
        bootstrap: { node: nodeOf(state), admin: { address: {} } },
        last_updated: lastUpdated,
      },
      {
        '@type': admin('ClustersConfigDump'),
        version_info: 'c',
        dynamic_active_clusters: entries
          .filter(([, { stage }]) => stage === undefined)
          .map(([name, { version, error }]) => ({
            ...cluster(name, version),
            client_status: error === undefined ? 'ACKED' : 'NACKED',
            ...(error !== undefined && {
              error_state: {
                details: error,
                last_update_attempt: lastUpdated,
                version_info: `${version}-bad`,
              },
            }),
          })),
        dynamic_warming_clusters: entries
          .filter(([, { stage }]) => stage === 'warming')
          .map(([name, { version }]) => cluster(name, version)),
      },
      {
        '@type': admin('ListenersConfigDump'),
        version_info: 'l',
        dynamic_listeners: Object.entries(state.listeners).map(([name, held]) => ({
          name,
          active_state: listener(name, held.version),
          ...(held.warming !== undefined && { warming_state: listener(name, held.warming) }),
          ...(held.draining !== undefined && { draining_state: listener(name, held.draining) }),
          ...(held.error !== undefined && {
            error_state: {
              details: held.error.details,
              last_update_attempt: lastUpdated,
              version_info: held.error.version,
            },
          }),
        })),
      },
      {
        '@type': admin('EndpointsConfigDump'),
        dynamic_endpoint_configs: Object.entries(state.hosts).map(([name, hosts]) => ({
          version_info: 'e',
          last_updated: lastUpdated,
          endpoint_config: {
            '@type': type('envoy.config.endpoint.v3.ClusterLoadAssignment'),
            cluster_name: name,
            endpoints: [
              {
                locality: { region: 'r1', zone: 'z1' },
                load_balancing_weight: 1,
                lb_endpoints: Object.keys(hosts).map((address) => ({
                  endpoint: { address: addressOf(address) },
                  health_status: 'HEALTHY',
                })),
              },
            ],
          },
        })),
      },
    ],
  };
}

function addressOf(text: string): object {
  const [address, port] = text.split(':');
  return { socket_address: { address, port_value: Number(port) } };
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
          { name: 'rq_total', value: String(asked) },
          { type: 'GAUGE', name: 'cx_active', value: '1' },
        ],
        health_status: health,
        weight: 1,
        locality: { region: 'r1', zone: 'z1' },
      })),
    })),
  };
}
