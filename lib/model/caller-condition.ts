import type { FieldReader } from './field-reader';

export const callerConditionKinds = ['proxy-protocol', 'tls', 'certificate', 'http2', 'limit'] as const;

/** What decides at the start of a connection, beside the match of its filter chain, whether an Envoy serves it. */
export interface CallerCondition {
  readonly kind: (typeof callerConditionKinds)[number];
  /** As in "the connection begins with a header of the PROXY protocol". */
  readonly text: string;
  readonly otherwise: string;
  /** The field of the listener that decides. */
  readonly path: string;
}

const proxyProtocol = 'envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol';
const tls = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
const limit = 'envoy.extensions.filters.network.local_ratelimit.v3.LocalRateLimit';

/** The conditions of a filter chain at this path of the listener, in the order in which Envoy checks them. */
export function readCallerConditions(
  listener: FieldReader,
  chain: FieldReader,
  path: string,
): CallerCondition[] {
  const conditions: CallerCondition[] = [];
  for (const [index, filter] of listener.objects('listenerFilters').entries()) {
    const config = filter.object('typedConfig');
    if (config?.messageName() !== proxyProtocol || config.boolean('allowRequestsWithoutProxyProtocol'))
      continue;
    conditions.push({
      kind: 'proxy-protocol',
      text: 'the connection begins with a header of the PROXY protocol',
      otherwise: 'the connection does not begin with a header of the PROXY protocol',
      path: `listenerFilters[${index}]`,
    });
  }
  const socket = chain.object('transportSocket')?.object('typedConfig');
  if (socket?.messageName() === tls) {
    const own = `${path}.transportSocket.typedConfig`;
    conditions.push({
      kind: 'tls',
      text: 'the caller uses TLS',
      otherwise: 'the caller does not use TLS',
      path: own,
    });
    if (socket.boolean('requireClientCertificate'))
      conditions.push({
        kind: 'certificate',
        text: 'the caller has a certificate that Envoy accepts',
        otherwise: 'the caller has no certificate that Envoy accepts',
        path: `${own}.requireClientCertificate`,
      });
  }
  for (const [index, filter] of chain.objects('filters').entries()) {
    const config = filter.object('typedConfig');
    const own = `${path}.filters[${index}].typedConfig`;
    if (config?.messageName() === limit)
      conditions.push({
        kind: 'limit',
        text: `the token bucket of filter "${filter.string('name')}" is not empty`,
        otherwise: `the token bucket of filter "${filter.string('name')}" is empty`,
        path: `${own}.tokenBucket`,
      });
    if (config?.enumName('codecType', 'AUTO') === 'HTTP2')
      conditions.push({
        kind: 'http2',
        text: 'the caller speaks HTTP/2',
        otherwise: 'the caller speaks HTTP/1.1',
        path: `${own}.codecType`,
      });
  }
  return conditions;
}
