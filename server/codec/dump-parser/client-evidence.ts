import { isOnSameStream, readConfigSource } from '@/lib/model/config-source';
import { FieldReader } from '@/lib/model/field-reader';
import type { ClientEvidence } from '@/lib/observation/observation';
import { CDS, LDS, messageNameOf, normaliseTypeUrl, RDS } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { decodeBody } from '../decode-body';
import { bytesOf } from '../resource-message';
import type { PlannedReport } from './report-plan';

const managerType = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const aggregateType = 'envoy.extensions.clusters.aggregate.v3.ClusterConfig';

/**
 * Returns what a client must be by the form of its document, or else by its resources; undefined if neither shows it. The
 * resources are read up to the first one that only an Envoy uses.
 */
export function findClientEvidence(report: PlannedReport): ClientEvidence | undefined {
  if (report.partOfEnvoy !== '') return { client: 'envoy', reason: report.partOfEnvoy };
  let apiListener = '';
  let hasOther = false;
  /** The socket listeners by the route configurations that they name. */
  const listenersOf = new Map<string, string>();
  const forwarding = new Set<string>();
  for (const element of report.elements()) {
    for (const { xdsConfig, typeUrl = '', name = '' } of element.read().messages) {
      const type = readTypeUrl(normaliseTypeUrl(xdsConfig?.type_url || typeUrl)).typeUrl;
      if (!xdsConfig || ![LDS.typeUrl, CDS.typeUrl, RDS.typeUrl].includes(type)) continue;
      const fields = FieldReader.open(decodeBody(type, bytesOf(xdsConfig), { asV3: true }).json, []);
      const shown = fields.string('name') || name;
      if (type === RDS.typeUrl) {
        if (forwards(fields)) forwarding.add(shown);
        continue;
      }
      const sign = type === LDS.typeUrl ? signInListener(fields) : signInCluster(fields);
      if (sign !== '') {
        const noun = type === LDS.typeUrl ? 'listener' : 'cluster';
        return { client: 'envoy', reason: `${noun} "${shown}" has ${sign}, which no gRPC client supports` };
      }
      if (type !== LDS.typeUrl) continue;
      if (fields.has('apiListener') && !fields.has('address')) apiListener ||= shown;
      else hasOther = true;
      for (const table of tablesOf(fields)) listenersOf.set(table, shown);
    }
  }
  const [table] = [...listenersOf.keys()].filter((each) => forwarding.has(each));
  if (table !== undefined)
    return {
      client: 'envoy',
      reason: `listener "${listenersOf.get(table)}" has an address, and its routes forward requests, as those of no gRPC server do`,
    };
  if (apiListener === '' || hasOther) return undefined;
  return { client: 'grpc', reason: `listener "${apiListener}" has an api_listener and no address` };
}

/** The names of the route configurations of a socket listener. */
function tablesOf(listener: FieldReader): string[] {
  if (!listener.has('address')) return [];
  return listener
    .objects('filterChains')
    .flatMap((chain) => chain.objects('filters'))
    .map((filter) => filter.object('typedConfig')?.object('rds')?.string('routeConfigName') ?? '')
    .filter((name) => name !== '');
}

function forwards(table: FieldReader): boolean {
  return table
    .objects('virtualHosts')
    .some((host) => host.objects('routes').some((route) => route.has('route')));
}

function signInListener(listener: FieldReader): string {
  if (listener.has('udpListenerConfig')) return 'udp_listener_config';
  if (listener.has('internalListener')) return 'internal_listener';
  if (listener.objects('listenerFilters').length > 0) return 'listener filters';
  const fallback = listener.object('defaultFilterChain');
  for (const chain of [...listener.objects('filterChains'), ...(fallback === undefined ? [] : [fallback])]) {
    for (const filter of chain.objects('filters')) {
      const type = filter.object('typedConfig')?.messageName() ?? '';
      if (type !== '' && type !== managerType)
        return `the network filter ${messageNameOf(type).split('.').at(-1)}`;
      const sign = signInManager(filter.object('typedConfig'));
      if (sign !== '') return sign;
    }
  }
  return '';
}

function signInManager(manager: FieldReader | undefined): string {
  if (manager?.has('scopedRoutes')) return 'scoped routes';
  return signInSource('routes', manager?.object('rds')?.object('configSource'));
}

/** Rules L13 and C2. */
function signInSource(what: string, source: FieldReader | undefined): string {
  return isOnSameStream(readConfigSource(source)) ? '' : `${what} from a config source other than ADS`;
}

function signInCluster(cluster: FieldReader): string {
  const custom = cluster.object('clusterType');
  if (custom !== undefined) {
    const type = custom.object('typedConfig')?.messageName() ?? '';
    return type === aggregateType
      ? ''
      : `the cluster type ${custom.string('name') || type || 'of an extension'}`;
  }
  const sign = signInSource('endpoints', cluster.object('edsClusterConfig')?.object('edsConfig'));
  if (sign !== '') return sign;
  const type = cluster.enumName('type', 'STATIC');
  // A cluster without a type is STATIC, and a part of a cluster has neither.
  const isStatic = type === 'STATIC' && cluster.has('loadAssignment');
  return isStatic || type === 'STRICT_DNS' || type === 'ORIGINAL_DST' ? `the type ${type}` : '';
}
