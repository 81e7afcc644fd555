import { WireCursor, type WireSpan } from '../../codec/wire-cursor';

/** The names under which Envoy has statistics and endpoints of a cluster. Empty: its own name. */
export interface ClusterNames {
  /** Cluster.alt_stat_name. */
  readonly statistics: string;
  /** Cluster.eds_cluster_config.service_name. */
  readonly endpoints: string;
  /** True if Cluster.type is EDS, which then delivers its endpoints. */
  readonly hasEds: boolean;
}

const fields = { type: 2, edsClusterConfig: 3, altStatName: 28 } as const;
/** Cluster.DiscoveryType.EDS. */
const eds = 3;
const serviceNameField = 2;

/** Reads the names of an encoded envoy.config.cluster.v3.Cluster. */
export function peekClusterNames(bytes: Uint8Array): ClusterNames {
  let [statistics, endpoints] = ['', ''];
  let hasEds = false;
  const cursor = new WireCursor(bytes);
  while (cursor.next()) {
    if (cursor.number === fields.type && cursor.wireType === 0) hasEds = bytes[cursor.valueStart] === eds;
    if (cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    if (cursor.number === fields.altStatName) statistics = textUnder(cursor);
    if (cursor.number !== fields.edsClusterConfig) continue;
    const inner = WireCursor.within(cursor);
    while (inner.next()) {
      const isName = inner.number === serviceNameField && inner.wireType === 2 && inner.missingBytes === 0;
      if (isName) endpoints = textUnder(inner);
    }
  }
  return { statistics, endpoints, hasEds };
}

/** The number of the field Bootstrap.dynamic_resources. */
const dynamicResources = 3;

/** Returns an encoded Bootstrap that has nothing but the dynamic_resources of another one. */
export function peekDynamicResources(bootstrap: Uint8Array): Uint8Array {
  const cursor = new WireCursor(bootstrap);
  while (cursor.next())
    if (cursor.number === dynamicResources) return bootstrap.subarray(cursor.fieldStart, cursor.fieldEnd);
  return new Uint8Array();
}

/** Listener.filter_chains and default_filter_chain; FilterChain.filters; Filter.typed_config; Any; HttpConnectionManager.rds. */
const chains = [3, 25];
const [filters, typedConfig, typeUrl, value, rds, routeConfigName] = [3, 4, 1, 2, 3, 2];
const manager = /\.HttpConnectionManager$/;

/** Returns the names of the route configurations that an encoded envoy.config.listener.v3.Listener requests by RDS. */
export function peekRouteNames(listener: WireSpan): string[] {
  return chains.flatMap((chain) =>
    fieldsOf(listener, [chain, filters, typedConfig])
      .filter((any) => fieldsOf(any, [typeUrl]).some((url) => manager.test(textUnder(url))))
      .flatMap((any) => fieldsOf(any, [value, rds, routeConfigName]).map(textUnder)),
  );
}

/** The length-delimited values at a path of field numbers. */
function fieldsOf(span: WireSpan, [number, ...path]: readonly number[]): WireSpan[] {
  if (number === undefined) return [span];
  const found: WireSpan[] = [];
  const cursor = WireCursor.within(span);
  while (cursor.next()) {
    if (cursor.number !== number || cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    const { bytes, valueStart, fieldEnd } = cursor;
    found.push(...fieldsOf({ bytes, valueStart, fieldEnd }, path));
  }
  return found;
}

function textUnder({ bytes, valueStart, fieldEnd }: WireSpan): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, fieldEnd - valueStart).toString('utf8');
}
