/** What the rules do with a field of a message that they check. */
export interface CheckedField {
  /** Every value is covered by rules. `duration`: a google.protobuf.Duration that Envoy reads as milliseconds. */
  readonly kind: 'value' | 'duration' | 'message' | 'any' | 'extension';
  /** The full name of the message. */
  readonly message?: string;
  /** How the types begin that Envoy knows in the Any, or in the Any of the TypedExtensionConfig. */
  readonly prefixes: readonly string[];
  readonly isMap: boolean;
}

export type CheckedMessage = ReadonlyMap<string, CheckedField>;

const packages: Readonly<Record<string, string>> = {
  accesslog: 'envoy.config.accesslog.v3',
  cluster: 'envoy.config.cluster.v3',
  core: 'envoy.config.core.v3',
  endpoint: 'envoy.config.endpoint.v3',
  hcm: 'envoy.extensions.filters.network.http_connection_manager.v3',
  http: 'envoy.extensions.filters.http',
  lb: 'envoy.extensions.load_balancing_policies',
  listener: 'envoy.config.listener.v3',
  matcher: 'envoy.type.matcher.v3',
  metadata: 'envoy.type.metadata.v3',
  ext: 'envoy.extensions',
  mutation: 'envoy.config.common.mutation_rules.v3',
  route: 'envoy.config.route.v3',
  tls: 'envoy.extensions.transport_sockets.tls.v3',
  tracing: 'envoy.type.tracing.v3',
  type: 'envoy.type.v3',
};

/** "core.Address" -> "envoy.config.core.v3.Address". */
function fullNameOf(short: string): string {
  const [alias = '', ...rest] = short.split('.');
  const prefix = packages[alias];
  return prefix === undefined ? short : [prefix, ...rest].join('.');
}

function parseField(text: string): [name: string, field: CheckedField] {
  const [name = '', braced = 'value'] = text.split(':');
  const isMap = braced.startsWith('{');
  const [kind = '', types = ''] = (isMap ? braced.slice(1, -1) : braced).split('=');
  const prefixes = types === '' ? [] : types.split('|').map(fullNameOf);
  if (kind === 'value' || kind === 'duration' || kind === 'any' || kind === 'extension')
    return [name, { kind, prefixes, isMap }];
  return [name, { kind: 'message', message: fullNameOf(kind), prefixes, isMap }];
}

/**
 * Parses a table of messages and their fields. A field is a JSON name, with a colon and a kind unless every value of it
 * is covered: `duration`, the name of its message, `any` or, for a core.TypedExtensionConfig, `extension`. The last two
 * name the types that are valid in the place. Braces mark a map.
 */
export function parseMessages(table: Readonly<Record<string, string>>): [string, CheckedMessage][] {
  return Object.entries(table).map(([name, fields]) => [
    fullNameOf(name),
    new Map(fields.trim().split(/\s+/).filter(Boolean).map(parseField)),
  ]);
}
