import type { ConnectionSecurity } from '../expectation';
import type { BuildResources, CaseStep, InteropCase } from '../interop-case';
import { cluster, endpoints, listener, routeConfiguration, serverListener, typed } from './case-resources';

type Json = Readonly<Record<string, unknown>>;

/** The certificate provider of the bootstrap (gRFC A29) that has the certificate of the process and those of its CAs. */
export const certificateProvider = 'identity';
/** Subject alternative names of the certificates: URIs, as SPIFFE has them. */
export const principals = { server: 'spiffe://interop.test/server', client: 'spiffe://interop.test/client' };

const instance = { instanceName: certificateProvider };
const identity = { tlsCertificateProviderInstance: instance };
const unary = 'UNARY_CALL';
const [ok, permissionDenied] = [0, 7];

const tls = (message: 'UpstreamTlsContext' | 'DownstreamTlsContext', fields: Json): Json => ({
  name: 'envoy.transport_sockets.tls',
  typedConfig: typed(`envoy.extensions.transport_sockets.tls.v3.${message}`, fields),
});

/** What clients do: TLS to a server with this name in its certificate. */
function upstreamTls(security: ConnectionSecurity, serverName = principals.server): Json {
  if (security === 'plaintext') return {};
  const validationContext = {
    caCertificateProviderInstance: instance,
    matchSubjectAltNames: [{ exact: serverName }],
  };
  const commonTlsContext = { ...(security === 'mtls' && identity), validationContext };
  return { transportSocket: tls('UpstreamTlsContext', { commonTlsContext }) };
}

function downstreamTls(security: ConnectionSecurity): { readonly transportSocket?: Json } {
  if (security === 'plaintext') return {};
  const ofClients = { validationContext: { caCertificateProviderInstance: instance } };
  const commonTlsContext = { ...identity, ...(security === 'mtls' && ofClients) };
  const fields = { commonTlsContext, ...(security === 'mtls' && { requireClientCertificate: true }) };
  return { transportSocket: tls('DownstreamTlsContext', fields) };
}

interface SecureMesh {
  readonly servers: ConnectionSecurity;
  /** Absent: as the servers. */
  readonly clients?: ConnectionSecurity;
  /** The name that the client expects in the certificate of the server. */
  readonly serverName?: string;
  /** HTTP filters of the servers. */
  readonly filters?: (port: number) => readonly Json[];
}

const secured =
  ({ servers, clients = servers, serverName, filters }: SecureMesh): BuildResources =>
  (mesh) => {
    const backends = mesh.group('a');
    return [
      listener(),
      routeConfiguration([{ to: 'a' }]),
      cluster('a', upstreamTls(clients, serverName)),
      endpoints('a', [{ zone: 'a', backends }]),
      ...backends.map((backend) =>
        serverListener(backend, { ...downstreamTls(servers), filters: filters?.(backend.port) ?? [] }),
      ),
    ];
  };

const required = (security: ConnectionSecurity): CaseStep => ({
  title: 'The server has its config',
  expect: { kind: 'required-security', security },
});
const reached: CaseStep['expect'] = { kind: 'only', backends: ['a1'] };

function securityCase(
  name: string,
  title: string,
  mesh: SecureMesh,
  steps: readonly CaseStep[],
): InteropCase {
  return {
    ...{ name: `security_${name}`, title, feature: 'Security', grfc: 'A29', origin: 'later' },
    backends: { a: 1 },
    isSecure: true,
    resources: secured(mesh),
    steps: [required(mesh.servers), ...steps],
  };
}

/** The config of the client does not fit the server at first, so that no RPC succeeds, and then does. */
function errorSteps(title: string, repaired: string): readonly CaseStep[] {
  return [
    {
      title,
      // RPCs that wait for a connection end with their timeout.
      actions: [{ kind: 'configure', types: [unary], timeoutSeconds: 2 }],
      expect: { kind: 'none-succeed', overMs: 4_000 },
    },
    {
      title: repaired,
      actions: [{ kind: 'serve', resources: secured({ servers: 'mtls' }) }],
      expect: reached,
    },
  ];
}

const reachedBy = (title: string): readonly CaseStep[] => [{ title, expect: reached }];

interface Policy {
  /** RPCs whose header has the value; a regular expression if `isPattern`. */
  readonly header: string;
  readonly isPattern?: true;
  /** Further permissions, all of which must hold. */
  readonly permissions?: (port: number) => readonly Json[];
  /** Absent: any. */
  readonly principal?: Json;
}

const testHeader = 'xds_md';

/** RBAC (gRFC A41) whose policies are named by the header that they match. */
function rbac(action: 'ALLOW' | 'DENY', policies: readonly Policy[]): NonNullable<SecureMesh['filters']> {
  return (port) => {
    const policyOf = ({ header, isPattern, permissions, principal = { any: true } }: Policy) => {
      const stringMatch = isPattern ? { safeRegex: { regex: header } } : { exact: header };
      const rules = [{ header: { name: testHeader, stringMatch } }, ...(permissions?.(port) ?? [])];
      return [header, { permissions: [{ andRules: { rules } }], principals: [principal] }] as const;
    };
    const rules = { action, policies: Object.fromEntries(policies.map(policyOf)) };
    const typedConfig = typed('envoy.extensions.filters.http.rbac.v3.RBAC', { rules });
    return [{ name: 'envoy.filters.http.rbac', typedConfig }];
  };
}

const toHost = (stringMatch: Json) => ({ header: { name: ':authority', stringMatch } });
const named = (stringMatch: Json) => ({ authenticated: { principalName: stringMatch } });

const byConnection: readonly Policy[] = [
  { header: 'host-prefix', permissions: () => [toHost({ prefix: 'sv' })] },
  { header: 'other-host', permissions: () => [toHost({ exact: 'other' })] },
  { header: 'port', permissions: (destinationPort) => [{ destinationPort }] },
  { header: 'other-port', permissions: (port) => [{ destinationPort: port - 1 }] },
  { header: 'pattern-[a-z]+', isPattern: true },
];
const byPrincipal: readonly Policy[] = [
  { header: 'any-principal', principal: named({ safeRegex: { regex: '.+' } }) },
  { header: 'own-principal', principal: named({ exact: principals.client }) },
  { header: 'other-principal', principal: named({ exact: 'spiffe://interop.test/other' }) },
];

type Rpc = readonly [header: string, isAllowed: boolean];

function authorizationCase(
  name: string,
  title: string,
  { servers, filters }: Pick<SecureMesh, 'servers' | 'filters'>,
  rpcs: readonly Rpc[],
): InteropCase {
  return {
    ...{ name: `authz_${name}`, title, feature: 'Authorization', grfc: 'A41', origin: 'later' },
    backends: { a: 1 },
    isSecure: true,
    resources: secured({ servers, ...(filters && { filters }) }),
    steps: [
      required(servers),
      ...rpcs.map(
        ([header, isAllowed]): CaseStep => ({
          title: `RPCs with the header "${header}"`,
          actions: [
            {
              kind: 'configure',
              types: [unary],
              metadata: [{ type: unary, key: testHeader, value: header }],
            },
          ],
          expect: {
            ...{ kind: 'status', type: unary, code: isAllowed ? ok : permissionDenied },
            ...{ share: 1, tolerance: 0.05, overMs: 500 },
          },
        }),
      ),
    ],
  };
}

export const securityCases: readonly InteropCase[] = [
  securityCase(
    'mtls',
    'Client and server authenticate each other',
    { servers: 'mtls' },
    reachedBy('The client connects with its certificate'),
  ),
  securityCase(
    'tls',
    'The client authenticates the server',
    { servers: 'tls' },
    reachedBy('The client connects without a certificate'),
  ),
  securityCase(
    'plaintext_fallback',
    'Without a transport socket, xDS credentials use plaintext',
    { servers: 'plaintext' },
    reachedBy('The client connects without TLS'),
  ),
  securityCase(
    'mtls_error',
    'A client without a certificate does not reach a server that requires one',
    { servers: 'mtls', clients: 'tls' },
    errorSteps(
      'The cluster has no certificate for the client',
      'The cluster has a certificate for the client',
    ),
  ),
  securityCase(
    'server_authz_error',
    'A client does not connect to a server whose certificate has another name',
    { servers: 'mtls', serverName: 'spiffe://interop.test/other' },
    errorSteps('The cluster expects another name', 'The cluster expects the name of the server'),
  ),
  authorizationCase(
    'plaintext_allow',
    'RPCs that match a policy of RBAC are allowed, others are denied',
    { servers: 'plaintext', filters: rbac('ALLOW', [...byConnection, ...byPrincipal]) },
    [
      ['host-prefix', true],
      ['other-host', false],
      ['port', true],
      ['other-port', false],
      ['pattern-a', true],
      ['pattern-1', false],
      ['no-policy', false],
      ['own-principal', false],
    ],
  ),
  authorizationCase(
    'tls_allow',
    'A client without a certificate is no principal',
    { servers: 'tls', filters: rbac('ALLOW', [...byConnection, ...byPrincipal]) },
    [
      ['host-prefix', true],
      ['any-principal', false],
      ['own-principal', false],
      ['no-policy', false],
    ],
  ),
  authorizationCase(
    'mtls_allow',
    'The certificate of a client is its principal',
    { servers: 'mtls', filters: rbac('ALLOW', [...byConnection, ...byPrincipal]) },
    [
      ['any-principal', true],
      ['own-principal', true],
      ['other-principal', false],
      ['no-policy', false],
    ],
  ),
  authorizationCase(
    'plaintext_deny',
    'RPCs that match a policy of RBAC are denied, others are allowed',
    { servers: 'plaintext', filters: rbac('DENY', byConnection) },
    [
      ['host-prefix', false],
      ['other-host', true],
      ['port', false],
      ['other-port', true],
      ['pattern-a', false],
      ['pattern-1', true],
      ['no-policy', true],
    ],
  ),
];
