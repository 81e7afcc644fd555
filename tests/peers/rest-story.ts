import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { everyNode, type Resource } from '@/server/lab/management-server/snapshot-store';
import { systemClock } from '@/server/observe';
import { freePort } from '../support/free-port';
import { waitUntil } from '../support/wait-until';
import { startEnvoyProcess } from './envoy/start';
import type { Prepared } from './peer';
import type { MomentOf, Results } from './results';
import { startXdscope } from './xdscope';

export interface RestStoryOptions {
  readonly envoy: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}

const nodeId = 'rest-envoy';
const patienceMs = 60_000;
const source = {
  resource_api_version: 'V3',
  api_config_source: {
    ...{ api_type: 'REST', transport_api_version: 'V3', cluster_names: ['management-server'] },
    ...{ refresh_delay: '0.3s', request_timeout: '5s' },
  },
};

/** Envoy polls a management server of REST-JSON through a tap. Rows are compared with what Envoy runs and counts. */
export async function runRestStory({ envoy, results, print, ...options }: RestStoryOptions): Promise<void> {
  const workDir = path.join(options.workDir, 'rest');
  mkdirSync(workDir, { recursive: true });
  let of: MomentOf = {
    ...{ flavor: 'envoy', peer: `envoy ${envoy.version}`, protocol: 'sotw', server: 'REST-JSON' },
    ...{ chapter: 'rest', moment: 'start' },
  };
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const server = new ManagementServer({ clock: systemClock });
    // Names in snake_case, as go-control-plane writes them.
    const front = server.restFront({ protoNames: true });
    stops.unshift(() => front.close());
    const target = await front.listen();
    const entrance = `127.0.0.1:${await freePort()}`;
    const xdscope = await startXdscope({
      ...{ vantage: 'tap', servers: [target], entrances: [entrance], workDir },
    });
    stops.unshift(() => xdscope.stop());
    const [listenerPort, backendPort] = [await freePort(), await freePort()];
    for (const each of [listener(listenerPort), routes(), cluster(), endpoints(backendPort)]) push(each, '1');
    const client = await startEnvoyProcess(envoy, workDir, (port) => bootstrapOf(port, entrance));
    stops.unshift(() => client.stop());

    const admin = await startXdscope({ vantage: 'admin', servers: [target], entrances: [target], workDir });
    stops.unshift(() => admin.stop());
    await admin.observe(client.adminTarget);
    /** The state of a resource by the admin interface alone. */
    const isAdminState = async (typeUrl: string, name: string, state: string | undefined) => {
      const rows = await admin.rows(nodeId);
      return rows.find((row) => row.typeUrl === typeUrl && row.name === name)?.state === state;
    };
    const states = async () => {
      const rows = await xdscope.rows(nodeId);
      return Object.fromEntries(
        rows.map(({ name, typeUrl, state, version }) => [`${typeUrl} ${name}`, [state, version]]),
      );
    };
    const isShown = async (each: Resource, state: string, version: string) => {
      const [shownState, shownVersion] = (await states())[`${each.typeUrl} ${each.name}`] ?? [];
      return shownState === state && shownVersion === version;
    };
    /** True if Envoy states in its config dump that it runs the version. */
    const runs = async (version: string) => {
      const response = await fetch(
        `http://${client.adminTarget}/config_dump?resource=dynamic_active_clusters`,
      );
      return (await response.text()).includes(`"version_info": "${version}"`);
    };
    const rejections = async () => {
      const response = await fetch(`http://${client.adminTarget}/stats?filter=cds.update_rejected`);
      return Number(/: (\d+)/.exec(await response.text())?.[1] ?? 0);
    };
    const moment = async (name: string, ...conditions: (() => Promise<boolean>)[]) => {
      of = { ...of, moment: name };
      for (const condition of conditions) await waitUntil(name, condition, patienceMs);
      print(results.pass(of));
    };

    await moment(
      'each type is ACKED',
      () => runs('1'),
      async () => {
        const all = [listener(listenerPort), routes(), cluster(), endpoints(backendPort)];
        return (await Promise.all(all.map((each) => isShown(each, 'ACKED', '1')))).every(Boolean);
      },
    );
    push(cluster({ connectTimeout: '0s' }), '2');
    await moment(
      'a rejected cluster is NACKED, by inference',
      async () => (await rejections()) >= 2,
      () => isShown(cluster(), 'NACKED', '1'),
    );
    if (!(await runs('1'))) throw new Error('Envoy does not run the cluster of version 1');
    const [nack] = (await xdscope.recordedAfter(0)).filter((event) => event.includes('NACK of CDS "2"'));
    if (!/inferred, because the poll has no error_detail/.test(nack ?? '')) {
      throw new Error(`expected an inferred NACK, got ${nack}`);
    }
    push(cluster({ connectTimeout: '3s' }), '3');
    await moment(
      'the next version is ACKED',
      () => runs('3'),
      () => isShown(cluster(), 'ACKED', '3'),
    );
    const rejectionsBefore = await rejections();
    push(
      cluster({
        lb_policy: 'RING_HASH',
        ring_hash_lb_config: { minimum_ring_size: 20, maximum_ring_size: 10 },
      }),
      '4',
    );
    await moment(
      'a cluster that is rejected, and accepted when it is sent again, stays NACKED by the admin interface alone',
      async () => (await rejections()) > rejectionsBefore,
      () => isAdminState(CDS.typeUrl, 'cluster-a', 'NACKED'),
    );
    // An attempt that finds nothing new is no withdrawal.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    if (!(await isAdminState(CDS.typeUrl, 'cluster-a', 'NACKED')))
      throw new Error('expected the cluster to stay NACKED while it is served');
    push(cluster({ connectTimeout: '4s' }), '5');
    await moment('a valid version follows it', () => isAdminState(CDS.typeUrl, 'cluster-a', 'ACTIVE'));
    const bad = resourceOf(LDS.typeUrl, 'bad', {
      ...{ name: 'bad', address: { socket_address: { address: '127.0.0.1', port_value: await freePort() } } },
    });
    push(bad, '2');
    await moment(
      'a listener without filter chains is NACKED',
      () => isShown(bad, 'NACKED', ''),
      () => isAdminState(LDS.typeUrl, 'bad', 'NACKED'),
    );
    server.removeResource(everyNode, LDS.typeUrl, 'bad', '1');
    await moment(
      'it is withdrawn, with the version before',
      async () => (await states())[`${LDS.typeUrl} bad`] === undefined,
      () => isAdminState(LDS.typeUrl, 'bad', undefined),
      () => isAdminState(LDS.typeUrl, 'svc-a', 'ACTIVE'),
    );
    push(endpoints(backendPort, 2), '2');
    await moment('new endpoints are ACKED', () => isShown(endpoints(backendPort), 'ACKED', '2'));
    const before = await xdscope.newestSeq();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const idle = await xdscope.recordedAfter(before);
    if (idle.length > 0) throw new Error(`expected no events of an idle client, got ${idle.join('; ')}`);
    await client.stop('SIGKILL');
    await moment('the streams of a client that was killed end', async () => {
      const ends = (await xdscope.recordedAfter(before)).filter((event) =>
        event.includes('has not polled for'),
      );
      return ends.length === 4;
    });

    function push(resource: Resource, version: string): void {
      server.setResource(everyNode, resource, version);
    }
  } catch (error) {
    print(results.fail(of, error));
  } finally {
    for (const stop of stops) await stop();
  }
}

function resourceOf(typeUrl: string, name: string, json: object): Resource {
  return { typeUrl, name, bytes: encodeBody(typeUrl, json) };
}

function cluster(more: object = {}): Resource {
  const json = { name: 'cluster-a', type: 'EDS', eds_cluster_config: { eds_config: source }, ...more };
  return resourceOf(CDS.typeUrl, 'cluster-a', json);
}

function endpoints(port: number, weight = 1): Resource {
  const address = { socket_address: { address: '127.0.0.1', port_value: port } };
  const lbEndpoints = [{ endpoint: { address }, load_balancing_weight: weight }];
  const json = { cluster_name: 'cluster-a', endpoints: [{ lb_endpoints: lbEndpoints }] };
  return resourceOf(EDS.typeUrl, 'cluster-a', json);
}

function routes(): Resource {
  const all = [{ match: { prefix: '/' }, route: { cluster: 'cluster-a' } }];
  const json = { name: 'routes-a', virtual_hosts: [{ name: 'all', domains: ['*'], routes: all }] };
  return resourceOf(RDS.typeUrl, 'routes-a', json);
}

const filters = 'type.googleapis.com/envoy.extensions.filters';

function listener(port: number): Resource {
  const router = { name: 'router', typed_config: { '@type': `${filters}.http.router.v3.Router` } };
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'svc-a',
    rds: { route_config_name: 'routes-a', config_source: source },
    http_filters: [router],
  };
  return resourceOf(LDS.typeUrl, 'svc-a', {
    name: 'svc-a',
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
  });
}

function bootstrapOf(adminPort: number, server: string): object {
  const socket = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } });
  const address = socket(Number(server.split(':')[1]));
  return {
    node: { id: nodeId, cluster: 'peers' },
    admin: { address: socket(adminPort) },
    dynamic_resources: { lds_config: source, cds_config: source },
    static_resources: {
      clusters: [
        {
          ...{ name: 'management-server', type: 'STATIC', connect_timeout: '1s' },
          load_assignment: {
            cluster_name: 'management-server',
            endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
          },
        },
      ],
    },
  };
}
