import { httpOptionsOf } from '../model/cluster';
import type { FieldReader } from '../model/field-reader';
import { readSecretNames } from '../model/transport-secrets';
import type { Setting } from './trace';

const upstreamTls = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

/** The limits of circuit_breakers by their fields, with the defaults of Envoy. */
const limits = [
  ['max_connections', 'maxConnections', 1024],
  ['max_pending_requests', 'maxPendingRequests', 1024],
  ['max_requests', 'maxRequests', 1024],
  ['max_retries', 'maxRetries', 3],
] as const;

/** "If multiple thresholds have the same priority, the first one is used." */
function thresholdOf(cluster: FieldReader, priority: string): FieldReader | undefined {
  const thresholds = cluster.object('circuitBreakers')?.objects('thresholds') ?? [];
  return thresholds.find((each) => each.enumName('priority', 'DEFAULT') === priority);
}

/** The limit of the cluster that no request of the priority is within, as in "max_requests"; undefined: none. */
export function findClosedLimit(cluster: FieldReader, priority: string): string | undefined {
  const threshold = thresholdOf(cluster, priority);
  const closing = limits.filter(([name]) => name === 'max_requests' || name === 'max_pending_requests');
  return closing.find(([, field, usual]) => (threshold?.number(field) ?? usual) === 0)?.[0];
}

/** What a cluster of an Envoy applies to a request: its circuit breakers, and TLS to the endpoint. */
export function settingsOfCluster(cluster: FieldReader, priority: string): Setting[] {
  const threshold = thresholdOf(cluster, priority);
  const stated = limits.map(([name, field, usual]) => {
    const own = threshold?.number(field);
    return `${name} ${own ?? `${usual} (default)`}`;
  });
  const value = `priority ${priority}: ${stated.join(', ')}`;
  const duration = httpOptionsOf(cluster)?.object('commonHttpProtocolOptions')?.string('maxStreamDuration');
  return [
    { name: 'Circuit breaker', value },
    ...(duration ? [{ name: 'Max stream duration', value: `${duration}, by the cluster` }] : []),
    ...tlsOf(cluster),
  ];
}

function tlsOf(cluster: FieldReader): Setting[] {
  if (cluster.has('transportSocketMatches'))
    return [
      {
        name: 'TLS',
        value: 'by the metadata of the endpoint (transport_socket_matches)',
      },
    ];
  const socket = cluster.object('transportSocket');
  const config = socket?.object('typedConfig');
  const type = config?.messageName() ?? '';
  if (socket === undefined || type.endsWith('.RawBuffer'))
    return [{ name: 'TLS', value: 'none: plain text' }];
  if (config === undefined || type !== upstreamTls)
    return [{ name: 'Transport socket', value: type || socket.string('name') }];
  const common = config.object('commonTlsContext');
  const combined = common?.object('combinedValidationContext');
  const validation = common?.object('validationContext') ?? combined?.object('defaultValidationContext');
  const fromSecret = common?.has('validationContextSdsSecretConfig') || combined !== undefined;
  const names = [
    ...(httpOptionsOf(cluster)?.object('upstreamHttpProtocolOptions')?.boolean('autoSanValidation')
      ? ['that the request states (auto_san_validation)']
      : []),
    ...namesOf(validation),
  ];
  const trusts = validation?.has('trustedCa') || validation?.has('systemRootCerts') || fromSecret;
  const secrets = readSecretNames(socket);
  return [
    { name: 'TLS', value: `SNI ${sniOf(cluster, config)}` },
    {
      name: 'Server certificate',
      value: !trusts
        ? 'not verified'
        : names.length === 0
          ? 'any that is trusted'
          : `must have one of the names ${names.join(', ')}`,
    },
    ...(secrets.length === 0 ? [] : [{ name: 'TLS secrets', value: secrets.join(', ') }]),
  ];
}

/** auto_sni takes the authority of the request, and auto_host_sni the host name of the endpoint. */
function sniOf(cluster: FieldReader, tls: FieldReader): string {
  const upstream = httpOptionsOf(cluster)?.object('upstreamHttpProtocolOptions');
  if (upstream?.boolean('autoSni'))
    return upstream.string('overrideAutoSniHeader') === ''
      ? 'of the authority of the request (auto_sni)'
      : `of the header ${upstream.string('overrideAutoSniHeader')} (auto_sni)`;
  const own = tls.string('sni');
  if (tls.boolean('autoHostSni')) return `of the host name of the endpoint, else ${own || 'none'}`;
  return own || 'none';
}

const kinds = ['exact', 'prefix', 'suffix', 'contains'];

function namesOf(validation: FieldReader | undefined): string[] {
  const matchers = [
    ...(validation?.objects('matchTypedSubjectAltNames') ?? []).map((each) => each.object('matcher')),
    ...(validation?.objects('matchSubjectAltNames') ?? []),
  ];
  return matchers.map((matcher) => {
    const kind = kinds.find((each) => matcher?.has(each));
    if (kind !== undefined) {
      const text = JSON.stringify(matcher?.string(kind));
      return kind === 'exact' ? text : `${kind} ${text}`;
    }
    return `the pattern ${JSON.stringify(matcher?.object('safeRegex')?.string('regex') ?? '')}`;
  });
}
