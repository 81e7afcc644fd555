import { describe, expect, it } from 'vitest';
import { EDS } from '@/lib/xds/resource-type';
import { isJsonObject } from '@/server/codec/json/json-object';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { messageType } from '@/server/codec/root';
import type { AdminDocument } from '@/server/collect/envoy-admin/admin-document';
import { type AdminAnswer, readAnswers } from '@/server/collect/envoy-admin/read';

const marker = createRedactionMarker(Buffer.from('tests'));
const socket = (port: number) => ({ socket_address: { address: '10.0.0.1', port_value: port } });

/** Returns endpoints in the form that Envoy 1.40 dumps. */
function dump(effective: readonly string[], weight?: number): object {
  const lbEndpoints = effective.map((status, index) => ({
    endpoint: { address: socket(index), health_check_config: {} },
    health_status: status,
    load_balancing_weight: 1,
  }));
  return {
    configs: [
      {
        '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
        version_info: 'v1',
      },
      {
        '@type': 'type.googleapis.com/envoy.admin.v3.EndpointsConfigDump',
        dynamic_endpoint_configs: [
          {
            endpoint_config: {
              '@type': EDS.typeUrl,
              cluster_name: 'service-a',
              endpoints: [{ locality: {}, lb_endpoints: lbEndpoints, load_balancing_weight: weight ?? 0 }],
              policy: { overprovisioning_factor: 140 },
            },
          },
        ],
      },
    ],
  };
}

function clusters(hosts: readonly object[]): object {
  const statuses = hosts.map((health, index) => ({
    address: socket(index),
    health_status: health,
    weight: 1,
  }));
  return { cluster_statuses: [{ name: 'a', eds_service_name: 'service-a', host_statuses: statuses }] };
}

class Envoy {
  #state: Pick<ReturnType<typeof readAnswers>, 'next' | 'documents'> = {
    next: new Map(),
    documents: new Map(),
  };
  #isKnown = false;

  /** Returns the health and the weight of the endpoints that changed, and whether they have to be read again. */
  report(documents: Partial<Record<AdminDocument, object>>) {
    const answers = Object.entries(documents).map(([document, json]) => ({
      document: document as AdminAnswer['document'],
      bytes: Buffer.from(JSON.stringify(json)),
    }));
    const { next, documents: kept } = this.#state;
    const rest = { absent: [], isWhole: !this.#isKnown, sourceId: 's', target: 't', at: 1 };
    const { read, ...state } = readAnswers(next, kept, { answers, ...rest }, marker);
    this.#state = state;
    this.#isKnown = true;
    if (read.kind !== 'news') throw new Error('expected news');
    const { bodies = [] } = read.emissions[0] ?? {};
    const body = bodies.find(({ typeUrl }) => typeUrl === EDS.typeUrl);
    const { isHealthNewer } = read;
    if (body === undefined) return { health: null, isHealthNewer };
    const type = messageType('envoy.config.endpoint.v3.ClusterLoadAssignment');
    const json = type.toObject(type.decode(body.bytes), { enums: String });
    const [{ lbEndpoints, loadBalancingWeight }] = json.endpoints;
    const health = lbEndpoints.map((each: unknown) => isJsonObject(each) && each.healthStatus);
    return { health, weight: loadBalancingWeight?.value, isHealthNewer };
  }
}

const good = { eds_health_status: 'HEALTHY' };

describe('endpoints in a dump of Envoy', () => {
  it('have the health that EDS set, not the effective one', () => {
    const envoy = new Envoy();
    const hosts = [
      good,
      { eds_health_status: 'DRAINING' },
      { eds_health_status: 'HEALTHY', failed_active_health_check: true },
      { eds_health_status: 'UNHEALTHY' },
      { eds_health_status: 'TIMEOUT', failed_outlier_check: true },
    ];
    const effective = ['HEALTHY', 'UNHEALTHY', 'UNHEALTHY', 'UNHEALTHY', 'UNHEALTHY'];
    const { health } = envoy.report({ config_dump: dump(effective), clusters: clusters(hosts) });
    expect(health).toEqual(['HEALTHY', 'DRAINING', 'HEALTHY', 'UNHEALTHY', 'TIMEOUT']);
  });

  it('do not change when a health check fails', () => {
    const envoy = new Envoy();
    envoy.report({ config_dump: dump(['HEALTHY']), clusters: clusters([good]) });
    const failed = { ...good, failed_active_health_check: true };
    const { health } = envoy.report({ config_dump: dump(['UNHEALTHY']), clusters: clusters([failed]) });
    expect(health).toBeNull();
  });

  it('are read again when /clusters alone reports another health of EDS', () => {
    const envoy = new Envoy();
    const config = dump(['UNHEALTHY']);
    envoy.report({ config_dump: config, clusters: clusters([{ eds_health_status: 'UNHEALTHY' }]) });
    const drained = { eds_health_status: 'DRAINING' };
    expect(envoy.report({ clusters: clusters([drained]) })).toEqual({ health: null, isHealthNewer: true });
    const { health } = envoy.report({ config_dump: config, clusters: clusters([drained]) });
    expect(health).toEqual(['DRAINING']);
  });

  it('have the weight of a locality only if one is set', () => {
    const report = (weight?: number) =>
      new Envoy().report({ config_dump: dump(['HEALTHY'], weight), clusters: clusters([good]) }).weight;
    expect([report(), report(3)]).toEqual([undefined, 3]);
  });
});
