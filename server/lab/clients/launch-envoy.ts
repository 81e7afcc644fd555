import type { ChildProcess } from 'node:child_process';
import { get } from 'node:http';
import type { Clock } from '../../observe';
import { spawnEnvoy } from '../envoy-binary/spawn-envoy';
import type { ShopClient } from './shop-clients';

interface EnvoyAddresses {
  readonly command: string;
  /** host:port of the management server. */
  readonly adsTarget: string;
  readonly adminPort: number;
}

export function launchEnvoy(client: ShopClient, addresses: EnvoyAddresses): ChildProcess {
  const config = JSON.stringify(bootstrapOf(client, addresses));
  const flags = ['--concurrency', '1', '--disable-hot-restart', '--log-level', 'error'];
  return spawnEnvoy(addresses.command, ['--config-yaml', config, ...flags], { stdout: 'ignore' });
}

const pollMs = 200;

/** Resolves when the admin interface answers, or when the process has ended. */
export async function whenAdminAnswers(
  adminPort: number,
  clock: Clock,
  hasEnded: () => boolean,
): Promise<void> {
  while (!hasEnded() && !(await answers(adminPort)))
    await new Promise<void>((resolve) => clock.setTimeout(resolve, pollMs));
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(1_000);
    get({ host: '127.0.0.1', port, path: '/ready', agent: false, signal }, (response) => {
      response.on('error', () => undefined).resume();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

function bootstrapOf({ name, locality }: ShopClient, { adsTarget, adminPort }: EnvoyAddresses): object {
  const socket = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  const ads = { ads: {}, resource_api_version: 'V3' };
  const grpc = {
    api_type: 'GRPC',
    transport_api_version: 'V3',
    grpc_services: [{ envoy_grpc: { cluster_name: managementServer } }],
  };
  const endpoint = { address: socket(Number(adsTarget.split(':').at(-1))) };
  return {
    node: {
      id: name,
      cluster: 'shop',
      locality: { region: locality.region, zone: locality.zone, sub_zone: locality.subZone },
      metadata: { app: name, team: 'shop' },
    },
    admin: { address: socket(adminPort) },
    cluster_manager: { load_stats_config: grpc },
    dynamic_resources: { ads_config: grpc, lds_config: ads, cds_config: ads },
    static_resources: {
      clusters: [
        {
          name: managementServer,
          type: 'STATIC',
          connect_timeout: '1s',
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
              explicit_http_config: { http2_protocol_options: {} },
            },
          },
          load_assignment: {
            cluster_name: managementServer,
            endpoints: [{ lb_endpoints: [{ endpoint }] }],
          },
        },
      ],
    },
  };
}

const managementServer = 'lab-control-plane';
