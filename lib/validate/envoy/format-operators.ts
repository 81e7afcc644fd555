import type { Profile } from '../../xds/profile';

/** Why a parameter is invalid; undefined if it is valid. */
type CheckParameter = (parameter: string) => string | undefined;

interface Operator {
  readonly takesLength: boolean;
  readonly needsParameter: boolean;
  readonly check: CheckParameter;
}

/**
 * The command operators of Envoy 1.40.0, and below those of the releases before it. Each was tried in an access log with and
 * without parameter and maximum length, and so was every upper-case word in its binary.
 */
const operators = new Map<string, Operator>();

function define(
  names: string,
  check: CheckParameter,
  { takesLength = false, needsParameter = false }: Partial<Omit<Operator, 'check'>> = {},
): void {
  for (const name of wordsOf(names)) operators.set(name, { takesLength, needsParameter, check });
}

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/);
}

const anything: CheckParameter = () => undefined;
const withoutParameter: CheckParameter = (parameter) => (parameter === '' ? undefined : 'no parameter');

function oneOf(firsts: readonly string[], seconds: readonly string[] = []): CheckParameter {
  return (parameter) => {
    const [first = '', second = ''] = parameter.split(':');
    const isValid = (value: string, all: readonly string[]) => value === '' || all.includes(value);
    if (!isValid(first, firsts)) return firsts.join(' or ');
    return isValid(second, seconds) ? undefined : `${seconds.join(' or ')} after the colon`;
  };
}

/** The name of a header, and of another one if that is absent. */
function checkHeaders(parameter: string): string | undefined {
  const names = parameter.split('?');
  if (names.length > 2) return 'at most one alternative header';
  return names.every((name) => /^:?[!#$%&'*+\-.^_`|~\w]*$/.test(name) && name !== ':')
    ? undefined
    : 'the name of a header';
}

const newline = /%[-_0^#]*[1-9]*[EO]?n/;
const checkTime: CheckParameter = (format) =>
  newline.test(format) ? 'a time format without newline' : undefined;

function checkFilterState(parameter: string): string | undefined {
  const [key = '', kind = '', name = ''] = parameter.split(':');
  if (key === '') return 'a key';
  if (!['', 'PLAIN', 'TYPED', 'FIELD'].includes(kind)) return 'PLAIN, TYPED or FIELD after the colon';
  return (kind === 'FIELD') === (name !== '') ? undefined : 'the name of a field with FIELD alone';
}

function checkCommonDuration(parameter: string): string | undefined {
  const parts = parameter.split(':');
  if (parts.length < 2 || parts.length > 3) return 'START:END or START:END:PRECISION';
  return parts.length === 2 || /^(?:ms|us|ns)$/.test(parts[2] ?? '')
    ? undefined
    : 'the precision ms, us or ns';
}

function oneOfMetadata(kinds: readonly string[]): CheckParameter {
  return (parameter) => (kinds.includes(parameter.split(':')[0] ?? '') ? undefined : kinds.join(' or '));
}

const metadataKinds = 'DYNAMIC CLUSTER ROUTE UPSTREAM_HOST LISTENER VIRTUAL_HOST LISTENER_FILTER_CHAIN'.split(
  ' ',
);

define('GRPC_STATUS', oneOf(['CAMEL_STRING', 'SNAKE_STRING', 'NUMBER']));
define('PATH', oneOf(['WQ', 'NQ'], ['ORIG', 'PATH', 'ORIG_OR_PATH']), { takesLength: true });
define('QUERY_PARAMS', oneOf(['ORIG', 'DECODED']), { takesLength: true });
define(
  'REQUESTED_SERVER_NAME',
  oneOf(['SNI_ONLY', 'SNI_FIRST', 'HOST_FIRST'], ['ORIG_OR_HOST', 'HOST', 'ORIG']),
);
define('METADATA', oneOfMetadata(metadataKinds), { takesLength: true, needsParameter: true });
define('FILTER_STATE UPSTREAM_FILTER_STATE', checkFilterState, { takesLength: true, needsParameter: true });
define('COMMON_DURATION', checkCommonDuration, { needsParameter: true });
define('DYNAMIC_METADATA ENVIRONMENT QUERY_PARAM CEL TYPED_CEL', anything, {
  takesLength: true,
  needsParameter: true,
});
define('CLUSTER_METADATA UPSTREAM_METADATA COALESCE', anything, { needsParameter: true });
define('REQ REQUEST_HEADER RESP RESPONSE_HEADER RESPONSE_TRAILER STREAM_INFO_REQ TRAILER', checkHeaders, {
  takesLength: true,
  needsParameter: true,
});
define(
  'DOWNSTREAM_PEER_CERT_V_END DOWNSTREAM_PEER_CERT_V_START EMIT_TIME EMIT_TIME_LOCAL ' +
    'START_TIME START_TIME_LOCAL UPSTREAM_PEER_CERT_V_END UPSTREAM_PEER_CERT_V_START',
  checkTime,
);
const addressesWithoutPort = `
  DOWNSTREAM_DIRECT_LOCAL_ADDRESS_WITHOUT_PORT DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT
  DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT
  UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT
`;
define(addressesWithoutPort, anything);
define('RESPONSE_CODE_DETAILS', anything);
/** Operators without parameter. */
define(
  `
  ACCESS_LOG_TYPE BYTES_RECEIVED BYTES_RETRANSMITTED BYTES_SENT CONNECTION_ID
  CONNECTION_TERMINATION_DETAILS CUSTOM_FLAGS DOWNSTREAM_CX_RTT
  DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_SENT
  DOWNSTREAM_DETECTED_CLOSE_TYPE DOWNSTREAM_DIRECT_LOCAL_ADDRESS
  DOWNSTREAM_DIRECT_LOCAL_ADDRESS_ENDPOINT_ID DOWNSTREAM_DIRECT_LOCAL_PORT DOWNSTREAM_DIRECT_REMOTE_ADDRESS
  DOWNSTREAM_DIRECT_REMOTE_PORT DOWNSTREAM_HANDSHAKE_DURATION DOWNSTREAM_HEADER_BYTES_RECEIVED
  DOWNSTREAM_HEADER_BYTES_SENT DOWNSTREAM_LOCAL_ADDRESS DOWNSTREAM_LOCAL_ADDRESS_ENDPOINT_ID
  DOWNSTREAM_LOCAL_CLOSE_REASON DOWNSTREAM_LOCAL_DNS_SAN DOWNSTREAM_LOCAL_EMAIL_SAN DOWNSTREAM_LOCAL_IP_SAN
  DOWNSTREAM_LOCAL_OTHERNAME_SAN DOWNSTREAM_LOCAL_PORT DOWNSTREAM_LOCAL_SUBJECT DOWNSTREAM_LOCAL_URI_SAN
  DOWNSTREAM_PEER_CERT DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_1 DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_256
  DOWNSTREAM_PEER_CHAIN_SERIALS DOWNSTREAM_PEER_DNS_SAN DOWNSTREAM_PEER_EMAIL_SAN
  DOWNSTREAM_PEER_FINGERPRINT_1 DOWNSTREAM_PEER_FINGERPRINT_256 DOWNSTREAM_PEER_IP_SAN
  DOWNSTREAM_PEER_ISSUER DOWNSTREAM_PEER_ISSUER_FINGERPRINT_256 DOWNSTREAM_PEER_ISSUER_SERIAL
  DOWNSTREAM_PEER_OTHERNAME_SAN DOWNSTREAM_PEER_SERIAL DOWNSTREAM_PEER_SUBJECT DOWNSTREAM_PEER_URI_SAN
  DOWNSTREAM_REMOTE_ADDRESS DOWNSTREAM_REMOTE_PORT DOWNSTREAM_TLS_CIPHER DOWNSTREAM_TLS_GROUP
  DOWNSTREAM_TLS_SESSION_ID DOWNSTREAM_TLS_VERSION DOWNSTREAM_TRANSPORT_FAILURE_REASON
  DOWNSTREAM_WIRE_BYTES_RECEIVED DOWNSTREAM_WIRE_BYTES_SENT DURATION FILTER_CHAIN_NAME GRPC_STATUS_NUMBER
  HOSTNAME LISTENER_NAME LOCAL_REPLY_BODY PACKETS_RETRANSMITTED PROTOCOL REQUEST_DURATION
  REQUEST_HEADERS_BYTES REQUEST_TX_DURATION RESPONSE_CODE RESPONSE_DURATION RESPONSE_FLAGS
  RESPONSE_FLAGS_LONG RESPONSE_HEADERS_BYTES RESPONSE_TRAILERS_BYTES RESPONSE_TX_DURATION
  ROUNDTRIP_DURATION ROUTE_NAME ROUTE_RESOLUTION_COUNT ROUTE_RESOLUTION_TIME_US SPAN_ID STREAM_ID
  TLS_JA3_FINGERPRINT TLS_JA4_FINGERPRINT TRACE_ID UNIQUE_ID UPSTREAM_CLUSTER UPSTREAM_CLUSTER_RAW
  UPSTREAM_CONNECTION_ID UPSTREAM_CONNECTION_IDS_ATTEMPTED UPSTREAM_CONNECTION_POOL_READY_DURATION
  UPSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED UPSTREAM_DECOMPRESSED_HEADER_BYTES_SENT
  UPSTREAM_DETECTED_CLOSE_TYPE UPSTREAM_HEADER_BYTES_RECEIVED UPSTREAM_HEADER_BYTES_SENT UPSTREAM_HOST
  UPSTREAM_HOSTS_ATTEMPTED UPSTREAM_HOSTS_ATTEMPTED_WITHOUT_PORT UPSTREAM_HOST_NAME
  UPSTREAM_HOST_NAMES_ATTEMPTED UPSTREAM_HOST_NAMES_ATTEMPTED_WITHOUT_PORT UPSTREAM_HOST_NAME_WITHOUT_PORT
  UPSTREAM_LOCAL_ADDRESS UPSTREAM_LOCAL_CLOSE_REASON UPSTREAM_LOCAL_DNS_SAN UPSTREAM_LOCAL_IP_SAN
  UPSTREAM_LOCAL_PORT UPSTREAM_LOCAL_URI_SAN UPSTREAM_PEER_CERT UPSTREAM_PEER_DNS_SAN UPSTREAM_PEER_IP_SAN
  UPSTREAM_PEER_ISSUER UPSTREAM_PEER_SUBJECT UPSTREAM_PEER_URI_SAN UPSTREAM_PROTOCOL
  UPSTREAM_REMOTE_ADDRESS UPSTREAM_REMOTE_ADDRESS_ENDPOINT_ID UPSTREAM_REMOTE_PORT
  UPSTREAM_REQUEST_ATTEMPT_COUNT UPSTREAM_SERVER_NAME UPSTREAM_TLS_CIPHER UPSTREAM_TLS_GROUP
  UPSTREAM_TLS_SESSION_ID UPSTREAM_TLS_VERSION UPSTREAM_TRANSPORT_FAILURE_REASON
  UPSTREAM_WIRE_BYTES_RECEIVED UPSTREAM_WIRE_BYTES_SENT VIRTUAL_CLUSTER_NAME
`,
  withoutParameter,
);

/** The command operators of each release, which were tried in the same way. */
const ofRelease = new Map<Profile, ReadonlyMap<string, Operator>>([['envoy-1.40', new Map(operators)]]);

/** The release before the one that added these operators has the others. */
function definePrevious(release: Profile, added: string): void {
  for (const name of wordsOf(added)) operators.delete(name);
  ofRelease.set(release, new Map(operators));
}

definePrevious(
  'envoy-1.39',
  'DOWNSTREAM_CX_RTT LISTENER_NAME ROUTE_RESOLUTION_COUNT ROUTE_RESOLUTION_TIME_US',
);
definePrevious('envoy-1.38', 'DOWNSTREAM_TLS_GROUP UPSTREAM_SERVER_NAME UPSTREAM_TLS_GROUP');
define(addressesWithoutPort, withoutParameter);
definePrevious(
  'envoy-1.37',
  `
  DOWNSTREAM_DETECTED_CLOSE_TYPE DOWNSTREAM_LOCAL_CLOSE_REASON DOWNSTREAM_PEER_ISSUER_FINGERPRINT_256
  DOWNSTREAM_PEER_ISSUER_SERIAL QUERY_PARAMS SPAN_ID UPSTREAM_CONNECTION_IDS_ATTEMPTED
  UPSTREAM_DETECTED_CLOSE_TYPE UPSTREAM_HOSTS_ATTEMPTED UPSTREAM_HOSTS_ATTEMPTED_WITHOUT_PORT
  UPSTREAM_HOST_NAMES_ATTEMPTED UPSTREAM_HOST_NAMES_ATTEMPTED_WITHOUT_PORT UPSTREAM_LOCAL_CLOSE_REASON
`,
);
define('REQUESTED_SERVER_NAME', withoutParameter);
define('DYNAMIC_METADATA', anything, { needsParameter: true });
define('METADATA', oneOfMetadata(metadataKinds.filter((kind) => kind !== 'LISTENER_FILTER_CHAIN')), {
  takesLength: true,
  needsParameter: true,
});
definePrevious(
  'envoy-1.36',
  `
  DOWNSTREAM_DIRECT_LOCAL_ADDRESS_ENDPOINT_ID DOWNSTREAM_LOCAL_ADDRESS_ENDPOINT_ID REQUEST_HEADER
  RESPONSE_HEADER RESPONSE_TRAILER UPSTREAM_REMOTE_ADDRESS_ENDPOINT_ID
`,
);

/** A command operator with its parameter and maximum length, as in %REQ(x-id):10%. */
const command = /%([A-Z0-9_]+)(\((.*?)\))?(?::([0-9]+))?%/y;
const maxLength = 2n ** 64n - 1n;

interface FormatError {
  readonly expected: string;
  readonly got: string;
}

/** The first error of a format string of Envoy, for access logs and header values; undefined if it is valid. */
export function findFormatError(format: string, profile: Profile): FormatError | undefined {
  const known = ofRelease.get(profile) ?? operators;
  for (let at = format.indexOf('%'); at !== -1; at = format.indexOf('%', at)) {
    if (format[at + 1] === '%') {
      at += 2;
      continue;
    }
    command.lastIndex = at;
    const match = command.exec(format);
    if (match === null)
      return { expected: 'a command operator, or %% for a percent sign', got: format.slice(at) };
    const expected = findOperatorError(match, known);
    if (expected !== undefined) return { expected, got: match[0] };
    at += match[0].length;
  }
  return undefined;
}

function findOperatorError(
  [, name = '', , parameter = '', length]: RegExpExecArray,
  known: ReadonlyMap<string, Operator>,
): string | undefined {
  const operator = known.get(name);
  if (operator === undefined) return 'a known command operator';
  if (operator.needsParameter && parameter === '') return `a parameter of ${name}`;
  if (length !== undefined && !operator.takesLength) return `no maximum length of ${name}`;
  if (length !== undefined && BigInt(length) > maxLength) return 'a maximum length of 64 bits';
  const error = operator.check(parameter);
  return error === undefined ? undefined : `${error} as parameter of ${name}`;
}

/** Expressions and JSON in a format, which Envoy parses. */
const unchecked = /%(?:CEL|TYPED_CEL|COALESCE)\(/;

export function hasUncheckedOperator(format: string): boolean {
  return unchecked.test(format);
}
