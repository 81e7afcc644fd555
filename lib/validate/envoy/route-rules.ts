import { parseDuration } from '../duration';
import type { Field } from '../field';
import { nackBy } from '../reactions';
import { routesOf, virtualHostsOf } from '../route/route-parts';
import { ruleOfConfig } from '../route/route-rule';
import type { Report, Rule } from '../rule';
import { checkRegex } from '../string-matcher';
import { checkEnvoyDuration } from './common-checks';

/** As Envoy 1.40.0 accepts them in a header value, each tried with `envoy --mode validate`. */
const known: ReadonlySet<string> = new Set(
  `
  ACCESS_LOG_TYPE BYTES_RECEIVED BYTES_RETRANSMITTED BYTES_SENT CEL CLUSTER_METADATA COALESCE
  COMMON_DURATION CONNECTION_ID CONNECTION_TERMINATION_DETAILS CUSTOM_FLAGS DOWNSTREAM_CX_RTT
  DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_SENT
  DOWNSTREAM_DETECTED_CLOSE_TYPE DOWNSTREAM_DIRECT_LOCAL_ADDRESS DOWNSTREAM_DIRECT_LOCAL_ADDRESS_ENDPOINT_ID
  DOWNSTREAM_DIRECT_LOCAL_ADDRESS_WITHOUT_PORT DOWNSTREAM_DIRECT_LOCAL_PORT DOWNSTREAM_DIRECT_REMOTE_ADDRESS
  DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT DOWNSTREAM_DIRECT_REMOTE_PORT DOWNSTREAM_HANDSHAKE_DURATION
  DOWNSTREAM_HEADER_BYTES_RECEIVED DOWNSTREAM_HEADER_BYTES_SENT DOWNSTREAM_LOCAL_ADDRESS
  DOWNSTREAM_LOCAL_ADDRESS_ENDPOINT_ID DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT DOWNSTREAM_LOCAL_CLOSE_REASON
  DOWNSTREAM_LOCAL_DNS_SAN DOWNSTREAM_LOCAL_EMAIL_SAN DOWNSTREAM_LOCAL_IP_SAN DOWNSTREAM_LOCAL_OTHERNAME_SAN
  DOWNSTREAM_LOCAL_PORT DOWNSTREAM_LOCAL_SUBJECT DOWNSTREAM_LOCAL_URI_SAN DOWNSTREAM_PEER_CERT
  DOWNSTREAM_PEER_CERT_V_END DOWNSTREAM_PEER_CERT_V_START DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_1
  DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_256 DOWNSTREAM_PEER_CHAIN_SERIALS DOWNSTREAM_PEER_DNS_SAN
  DOWNSTREAM_PEER_EMAIL_SAN DOWNSTREAM_PEER_FINGERPRINT_1 DOWNSTREAM_PEER_FINGERPRINT_256
  DOWNSTREAM_PEER_IP_SAN DOWNSTREAM_PEER_ISSUER DOWNSTREAM_PEER_ISSUER_FINGERPRINT_256
  DOWNSTREAM_PEER_ISSUER_SERIAL DOWNSTREAM_PEER_OTHERNAME_SAN DOWNSTREAM_PEER_SERIAL DOWNSTREAM_PEER_SUBJECT
  DOWNSTREAM_PEER_URI_SAN DOWNSTREAM_REMOTE_ADDRESS DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT
  DOWNSTREAM_REMOTE_PORT DOWNSTREAM_TLS_CIPHER DOWNSTREAM_TLS_GROUP DOWNSTREAM_TLS_SESSION_ID
  DOWNSTREAM_TLS_VERSION DOWNSTREAM_TRANSPORT_FAILURE_REASON DOWNSTREAM_WIRE_BYTES_RECEIVED
  DOWNSTREAM_WIRE_BYTES_SENT DURATION DYNAMIC_METADATA EMIT_TIME EMIT_TIME_LOCAL ENVIRONMENT
  FILTER_CHAIN_NAME FILTER_STATE GRPC_STATUS GRPC_STATUS_NUMBER HOSTNAME LISTENER_NAME LOCAL_REPLY_BODY
  METADATA PACKETS_RETRANSMITTED PATH PER_REQUEST_STATE PROTOCOL QUERY_PARAM QUERY_PARAMS REQ
  REQUESTED_SERVER_NAME REQUEST_DURATION REQUEST_HEADER REQUEST_HEADERS_BYTES REQUEST_TX_DURATION RESP
  RESPONSE_CODE RESPONSE_CODE_DETAILS RESPONSE_DURATION RESPONSE_FLAGS RESPONSE_FLAGS_LONG RESPONSE_HEADER
  RESPONSE_HEADERS_BYTES RESPONSE_TRAILER RESPONSE_TRAILERS_BYTES RESPONSE_TX_DURATION ROUNDTRIP_DURATION
  ROUTE_NAME ROUTE_RESOLUTION_COUNT ROUTE_RESOLUTION_TIME_US SPAN_ID START_TIME START_TIME_LOCAL STREAM_ID
  STREAM_INFO_REQ TLS_JA3_FINGERPRINT TLS_JA4_FINGERPRINT TRACE_ID TRAILER TYPED_CEL UNIQUE_ID
  UPSTREAM_CLUSTER UPSTREAM_CLUSTER_RAW UPSTREAM_CONNECTION_ID UPSTREAM_CONNECTION_IDS_ATTEMPTED
  UPSTREAM_CONNECTION_POOL_READY_DURATION UPSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED
  UPSTREAM_DECOMPRESSED_HEADER_BYTES_SENT UPSTREAM_DETECTED_CLOSE_TYPE UPSTREAM_FILTER_STATE
  UPSTREAM_HEADER_BYTES_RECEIVED UPSTREAM_HEADER_BYTES_SENT UPSTREAM_HOST UPSTREAM_HOSTS_ATTEMPTED
  UPSTREAM_HOSTS_ATTEMPTED_WITHOUT_PORT UPSTREAM_HOST_NAME UPSTREAM_HOST_NAMES_ATTEMPTED
  UPSTREAM_HOST_NAMES_ATTEMPTED_WITHOUT_PORT UPSTREAM_HOST_NAME_WITHOUT_PORT UPSTREAM_LOCAL_ADDRESS
  UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT UPSTREAM_LOCAL_CLOSE_REASON UPSTREAM_LOCAL_DNS_SAN
  UPSTREAM_LOCAL_IP_SAN UPSTREAM_LOCAL_PORT UPSTREAM_LOCAL_URI_SAN UPSTREAM_METADATA UPSTREAM_PEER_CERT
  UPSTREAM_PEER_CERT_V_END UPSTREAM_PEER_CERT_V_START UPSTREAM_PEER_DNS_SAN UPSTREAM_PEER_IP_SAN
  UPSTREAM_PEER_ISSUER UPSTREAM_PEER_SUBJECT UPSTREAM_PEER_URI_SAN UPSTREAM_PROTOCOL UPSTREAM_REMOTE_ADDRESS
  UPSTREAM_REMOTE_ADDRESS_ENDPOINT_ID UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT UPSTREAM_REMOTE_PORT
  UPSTREAM_REQUEST_ATTEMPT_COUNT UPSTREAM_SERVER_NAME UPSTREAM_TLS_CIPHER UPSTREAM_TLS_GROUP
  UPSTREAM_TLS_SESSION_ID UPSTREAM_TLS_VERSION UPSTREAM_TRANSPORT_FAILURE_REASON
  UPSTREAM_WIRE_BYTES_RECEIVED UPSTREAM_WIRE_BYTES_SENT VIRTUAL_CLUSTER_NAME
`
    .trim()
    .split(/\s+/),
);

/** A command operator with its parameters and maximum length, as in %REQ(x-id):10%. */
const operator = /%([A-Z0-9_]+)(?:\(.*?\))?(?::[0-9]+)?%/y;

/** The first part of a format string that is no command operator of Envoy; undefined if there is none. */
function findUnknownOperator(format: string): string | undefined {
  for (let at = format.indexOf('%'); at !== -1; at = format.indexOf('%', at)) {
    if (format[at + 1] === '%') {
      at += 2;
      continue;
    }
    operator.lastIndex = at;
    const [whole, name = ''] = operator.exec(format) ?? [];
    if (whole === undefined) return format.slice(at);
    if (!known.has(name)) return whole;
    at += whole.length;
  }
  return undefined;
}

const source = 'Envoy: measured with 1.40.0';
const envoyNack = nackBy('envoy');

/** Conditions on routes that Envoy rejects and that are no constraints of the protos. */
export const envoyRouteRules: readonly Rule[] = [
  ruleOfConfig(
    'ENVOY-headers',
    'Headers that are added or removed may be changed',
    source,
    envoyNack,
    (config, report) => {
      for (const owner of headerOwnersOf(config)) {
        for (const option of owner.at('requestHeadersToAdd').items()) {
          const key = option.in('header', 'key');
          if (key.text.startsWith(':') || key.text.toLowerCase() === 'host')
            report({ field: key, expected: 'a header that is neither a pseudo-header nor host' });
        }
      }
    },
  ),
  ruleOfConfig(
    'ENVOY-operators',
    'Command operators in header values are valid',
    source,
    envoyNack,
    (config, report) => {
      for (const owner of headerOwnersOf(config)) {
        for (const name of ['requestHeadersToAdd', 'responseHeadersToAdd']) {
          for (const option of owner.at(name).items()) {
            const field = option.in('header', 'value');
            const unknown = findUnknownOperator(field.text);
            if (unknown !== undefined)
              report({ field, expected: 'known command operators', got: field.withValue(unknown).show() });
          }
        }
      }
    },
  ),
  ruleOfConfig(
    'ENVOY-rewrite',
    'The regular expression and the substitution of a rewrite are valid',
    source,
    envoyNack,
    (config, report) => {
      for (const route of allRoutesOf(config)) {
        const action = route.at('route');
        const patterns = [
          action.at('regexRewrite'),
          action.at('hostRewritePathRegex'),
          route.in('redirect', 'regexRewrite'),
        ].map((rewrite) => rewrite.in('pattern', 'regex'));
        const parameters = route
          .in('match', 'queryParameters')
          .items()
          .map((parameter) => parameter.in('stringMatch', 'safeRegex', 'regex'));
        for (const pattern of [...patterns, ...parameters]) {
          if (pattern.exists) checkRegex(pattern, envoyNack, report);
        }
      }
    },
  ),
  ruleOfConfig('ENVOY-mirror', 'A request mirror policy is valid', source, envoyNack, (config, report) => {
    const actions = allRoutesOf(config).map((route) => route.at('route'));
    for (const owner of [config, ...virtualHostsOf(config), ...actions]) {
      for (const mirror of owner.at('requestMirrorPolicies').items())
        if (mirror.at('cluster').text === '' && mirror.at('clusterHeader').text === '')
          report({ field: mirror, expected: 'cluster or clusterHeader' });
    }
    for (const host of virtualHostsOf(config))
      if (host.at('matcher').exists && host.at('routes').items().length > 0)
        report({ field: host.at('matcher'), expected: 'nothing beside routes' });
  }),
  ruleOfConfig(
    'ENVOY-durations',
    'Durations are in the range that Envoy accepts',
    source,
    envoyNack,
    (config, report) => {
      for (const host of virtualHostsOf(config)) checkRetryDurations(host.at('retryPolicy'), report);
      for (const route of allRoutesOf(config)) {
        const action = route.at('route');
        for (const name of ['timeout', 'idleTimeout', 'flushTimeout', 'maxGrpcTimeout', 'grpcTimeoutOffset'])
          checkDuration(action.at(name), report);
        checkDuration(action.in('maxStreamDuration', 'grpcTimeoutHeaderOffset'), report);
        for (const name of ['maxStreamDuration', 'grpcTimeoutHeaderMax'])
          checkEnvoyDuration(action.in('maxStreamDuration', name), report);
        checkRetryDurations(action.at('retryPolicy'), report);
        for (const policy of action.at('hashPolicy').items())
          checkDuration(policy.in('cookie', 'ttl'), report);
      }
    },
  ),
];

function allRoutesOf(config: Field): Field[] {
  return virtualHostsOf(config).flatMap((host) => routesOf(host).map(({ field }) => field));
}

function headerOwnersOf(config: Field): Field[] {
  const routes = allRoutesOf(config);
  const clusters = routes.flatMap((route) => route.in('route', 'weightedClusters', 'clusters').items());
  return [config, ...virtualHostsOf(config), ...routes, ...clusters];
}

function checkRetryDurations(policy: Field, report: Report): void {
  checkDuration(policy.at('perTryTimeout'), report);
  checkDuration(policy.at('perTryIdleTimeout'), report);
  checkDuration(policy.in('rateLimitedRetryBackOff', 'maxInterval'), report);
  for (const name of ['baseInterval', 'maxInterval'])
    checkEnvoyDuration(policy.in('retryBackOff', name), report);
}

/** The nanoseconds must fit into 64 bits. */
const maxSeconds = 9_223_372_035;

function checkDuration(field: Field, report: Report): void {
  const { seconds, nanos } = parseDuration(field) ?? { seconds: 0, nanos: 0 };
  if (seconds < 0 || nanos < 0 || seconds > maxSeconds)
    report({ field, expected: `a duration of 0 to ${maxSeconds} seconds` });
}
