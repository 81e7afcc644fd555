import { messageNameOf } from '../xds/resource-type';
import { isJsonObject } from './json-object';
import { type KnownDefault, knownDefaults } from './known-defaults';
import { type ListRule, unlistedRule } from './list-rule';
import { listRules } from './list-rules';
import type { FieldShape, FindShape, MessageShape } from './message-shape';

export interface FieldFacts extends FieldShape {
  /** The value that absence means; undefined if absence has a meaning of its own. */
  readonly absent: string | number | boolean | undefined;
  /** Set if the default is documented, as opposed to a proto3 default. */
  readonly documented: KnownDefault | undefined;
  /** Present names by former names, if this field names extensions. */
  readonly former: ReadonlyMap<string, string> | undefined;
  readonly rule: ListRule;
}

interface MessageFacts {
  readonly name: string;
  readonly field: (jsonName: string) => FieldFacts | undefined;
}

/** The unknown fields that decodeBody() adds to a message, by field number. */
const unknownFields: FieldFacts = {
  shape: 'list',
  message: undefined,
  zero: undefined,
  absent: undefined,
  documented: undefined,
  former: undefined,
  rule: {
    order: 'within-key',
    keys: [['field']],
    reason: 'values of one field number are ordered; different fields are independent',
  },
};

const any = 'google.protobuf.Any';

/** Finds the facts of messages, and caches them. MUTABLE. */
export class FactFinder {
  readonly #findShape: FindShape;
  readonly #known = new Map<string, MessageFacts | null>();

  constructor(findShape: FindShape) {
    this.#findShape = findShape;
  }

  /**
   * Returns the facts for a value of type `message`; of an Any, those of its content. Returns undefined if the value is
   * compared as plain JSON.
   */
  of(value: unknown, message: string | undefined): MessageFacts | undefined {
    if (message === undefined || !isJsonObject(value)) return undefined;
    if (message !== any) return this.#byName(message);
    const type = value['@type'];
    return typeof type === 'string' ? this.#byName(messageNameOf(type)) : undefined;
  }

  #byName(name: string): MessageFacts | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known ?? undefined;
    const shape = this.#findShape(name);
    const facts = shape === undefined ? null : readFacts(name, shape);
    this.#known.set(name, facts);
    return facts ?? undefined;
  }
}

function readFacts(name: string, { fields }: MessageShape): MessageFacts {
  const known = new Map<string, FieldFacts>([['xdscope.unknown', unknownFields]]);
  for (const [jsonName, field] of fields) {
    const path = `${name}.${jsonName}`;
    const documented = ownValue(knownDefaults, path);
    const rule = ownValue(listRules, path) ?? unlistedRule;
    const former = ownValue(previousNames, path);
    known.set(jsonName, { ...field, absent: field.zero ?? documented?.value, documented, former, rule });
  }
  return { name, field: (jsonName) => known.get(jsonName) };
}

function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

export function meansAbsent(field: FieldFacts, value: unknown): boolean {
  if (field.shape === 'list') return Array.isArray(value) && value.length === 0;
  if (field.shape === 'map') return isJsonObject(value) && Object.keys(value).length === 0;
  return field.absent !== undefined && value === field.absent;
}

/** Returns the present name of an extension; other values are returned as they are. */
export function presentName(field: FieldFacts | undefined, value: unknown): unknown {
  return typeof value === 'string' ? (field?.former?.get(value) ?? value) : value;
}

const httpFilters = below('envoy.filters.http.', {
  ...sameNames(
    'buffer',
    'cors',
    'csrf',
    'ext_authz',
    'fault',
    'grpc_http1_bridge',
    'grpc_json_transcoder',
    'grpc_web',
  ),
  ...sameNames('gzip', 'health_check', 'ip_tagging', 'lua', 'router', 'squash'),
  'envoy.http_dynamo_filter': 'dynamo',
  'envoy.rate_limit': 'ratelimit',
});

const networkFilters = below('envoy.filters.network.', {
  ...sameNames('client_ssl_auth', 'echo', 'ext_authz', 'http_connection_manager', 'mongo_proxy', 'ratelimit'),
  ...sameNames('redis_proxy', 'tcp_proxy'),
});

/**
 * Former names of extensions (mostly of v2), with their present names, by the message and field that names the extension,
 * since a former name may stand for another extension elsewhere. Envoy accepted both names for years; today it uses the
 * type of the config, and the name is a label. Maps of config by filter have such names as keys, which Envoy mapped with
 * the same table (`FilterNameUtil::canonicalFilterName`).
 */
export const previousNames: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  'envoy.config.listener.v3.Filter.name': networkFilters,
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter.name': httpFilters,
  'envoy.config.route.v3.RouteConfiguration.typedPerFilterConfig': httpFilters,
  'envoy.config.route.v3.VirtualHost.typedPerFilterConfig': httpFilters,
  'envoy.config.route.v3.Route.typedPerFilterConfig': httpFilters,
  'envoy.config.route.v3.WeightedCluster.ClusterWeight.typedPerFilterConfig': httpFilters,
  'envoy.config.cluster.v3.Cluster.typedExtensionProtocolOptions': networkFilters,
  'envoy.config.listener.v3.ListenerFilter.name': below('envoy.filters.listener.', {
    'envoy.listener.http_inspector': 'http_inspector',
    'envoy.listener.original_dst': 'original_dst',
    'envoy.listener.original_src': 'original_src',
    'envoy.listener.proxy_protocol': 'proxy_protocol',
    'envoy.listener.tls_inspector': 'tls_inspector',
  }),
  'envoy.config.accesslog.v3.AccessLog.name': below('envoy.access_loggers.', {
    'envoy.file_access_log': 'file',
    'envoy.http_grpc_access_log': 'http_grpc',
    'envoy.tcp_grpc_access_log': 'tcp_grpc',
  }),
  'envoy.config.core.v3.TransportSocket.name': below('envoy.transport_sockets.', {
    raw_buffer: 'raw_buffer',
    tls: 'tls',
  }),
  'envoy.config.trace.v3.Tracing.Http.name': below('envoy.tracers.', {
    'envoy.dynamic.ot': 'dynamic_ot',
    ...sameNames('lightstep', 'zipkin'),
  }),
};

function below(prefix: string, names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([former, now]) => [former, `${prefix}${now}`]));
}

/** Names whose former name has the prefix "envoy." alone. */
function sameNames(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`envoy.${name}`, name]));
}
