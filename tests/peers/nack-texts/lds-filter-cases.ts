import { any, unknown, unknownCause } from './case';
import {
  chain,
  filterPath,
  httpFilter,
  length1,
  manager,
  of,
  required,
  tlsPath,
  tlsType,
  withTls,
} from './lds-listeners';

export const ldsFilterCases = [
  of(
    'Lua script with an error',
    httpFilter('lua', 'lua.v3.Lua', {
      defaultSourceCode: { inlineString: 'function envoy_on_request(h h:oops' },
    }),
    `${filterPath}.defaultSourceCode.inlineString`,
    `script load error: [string "function envoy_on_request(h h:oops"]:1: ')' expected near 'h'`,
  ),
  of(
    'RBAC policy without permissions',
    httpFilter('rbac', 'rbac.v3.RBAC', { rules: { policies: { all: { principals: [{ any: true }] } } } }),
    `${filterPath}.rules.policies["all"].permissions`,
    'value must contain at least 1 item(s)',
  ),
  of(
    'buffer without size',
    httpFilter('buffer', 'buffer.v3.Buffer'),
    `${filterPath}.maxRequestBytes`,
    'value is required and must not be nil.',
  ),
  of(
    'local rate limit without prefix',
    httpFilter('limit', 'local_ratelimit.v3.LocalRateLimit'),
    `${filterPath}.statPrefix`,
    length1,
  ),
  of(
    'token bucket without interval',
    httpFilter('limit', 'local_ratelimit.v3.LocalRateLimit', {
      statPrefix: 'x',
      tokenBucket: { maxTokens: 1 },
    }),
    `${filterPath}.tokenBucket.fillInterval`,
    required,
  ),
  of(
    'unknown JWT provider',
    httpFilter('jwt', 'jwt_authn.v3.JwtAuthentication', {
      rules: [{ match: { prefix: '/' }, requires: { providerName: 'nobody' } }],
    }),
    `${filterPath}.rules[0].requires.providerName`,
    "Required provider ['nobody'] is not configured.",
  ),
  of(
    'fault percentage above the maximum',
    httpFilter('fault', 'fault.v3.HTTPFault', { abort: { httpStatus: 99, percentage: { numerator: 1 } } }),
    `${filterPath}.abort.httpStatus`,
    'value must be inside range [200, 600)',
  ),
  of(
    'compressor without library',
    httpFilter('compressor', 'compressor.v3.Compressor'),
    `${filterPath}.compressorLibrary`,
    required,
  ),
  of('TLS without certificates', withTls({}), tlsPath, 'No TLS certificates found for server context'),
  of(
    'missing certificate file',
    withTls({
      commonTlsContext: {
        tlsCertificates: [
          {
            certificateChain: { filename: '/nowhere/cert.pem' },
            privateKey: { filename: '/nowhere/key.pem' },
          },
        ],
      },
    }),
    `${tlsPath}.commonTlsContext.tlsCertificates[0].privateKey.filename`,
    'Failed to load incomplete private key from path: /nowhere/key.pem',
  ),
  of(
    'invalid certificate',
    withTls({
      commonTlsContext: {
        tlsCertificates: [
          { certificateChain: { inlineString: 'no certificate' }, privateKey: { inlineString: 'no key' } },
        ],
      },
    }),
    `${tlsPath}.commonTlsContext.tlsCertificates[0].certificateChain`,
    'Failed to load certificate chain from <inline>',
  ),
  of(
    'unknown transport socket',
    chain(manager(), { transportSocket: unknown('socket') }),
    'filterChains[0].transportSocket',
    unknownCause('socket'),
  ),
  of(
    'transport socket without name',
    chain(manager(), { transportSocket: { typedConfig: any(tlsType) } }),
    'filterChains[0].transportSocket.name',
    length1,
  ),
  of('twice in one response', chain(manager()), 'name', 'duplicate listener tested found', { isTwice: true }),
  of('undecodable bytes', chain(manager()), '', 'Unable to unpack as envoy.config.listener.v3.Listener', {
    isUndecodable: true,
  }),
];
