import { any, typedStruct } from '../cases/any';
import { tlsFamily } from '../cases/tls-cases';
import { type ConformanceTable, foreignHost, garbage } from './conformance-case';

const socket = 'transportSocket.typedConfig';
const common = `${socket}.commonTlsContext`;
const validation = `${common}.validationContext`;
const upstream = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';
const provider = (instanceName: string) => ({ instanceName });
const ca = { caCertificateProviderInstance: provider('p') };
const sds = { name: 'x', sdsConfig: { ads: {} } };
const sans = (...matchers: object[]) => [`${validation}.matchSubjectAltNames`, matchers] as const;

export const tlsTable: ConformanceTable = {
  family: tlsFamily,
  rows: [
    ['socket of nothing', 'transportSocket', {}],
    ['socket without name', 'transportSocket.name', undefined],
    ['garbage', socket, garbage(upstream)],
    ['in a TypedStruct', socket, typedStruct(upstream)],
    ['of another host', socket, foreignHost(upstream)],
    ['downstream context', socket, any('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext')],
    ['raw buffer', socket, any('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer')],
    ['context of nothing', common, {}],
    ['CA provider without name', `${validation}.caCertificateProviderInstance`, {}],
    [
      'CA provider with a certificate name',
      `${validation}.caCertificateProviderInstance.certificateName`,
      'c',
    ],
    ['identity provider without name', `${common}.tlsCertificateProviderInstance`, {}],
    ['identity provider, old field', `${common}.tlsCertificateCertificateProviderInstance`, provider('p')],
    [
      'identity provider, old field, not known',
      `${common}.tlsCertificateCertificateProviderInstance`,
      provider('q'),
    ],
    [
      'certificates beside an identity',
      `${common}.tlsCertificates`,
      [{}],
      `${common}.tlsCertificateProviderInstance`,
      provider('p'),
    ],
    [
      'SDS certificates beside an identity',
      `${common}.tlsCertificateSdsSecretConfigs`,
      [sds],
      `${common}.tlsCertificateProviderInstance`,
      provider('p'),
    ],
    [
      'certificates beside the old identity',
      `${common}.tlsCertificates`,
      [{}],
      `${common}.tlsCertificateCertificateProviderInstance`,
      provider('p'),
    ],
    [
      'combined without default',
      common,
      { combinedValidationContext: { validationContextCertificateProviderInstance: provider('p') } },
    ],
    [
      'combined, CA in the default that is not known',
      common,
      {
        combinedValidationContext: {
          defaultValidationContext: { caCertificateProviderInstance: provider('q') },
        },
      },
    ],
    [
      'combined, old provider that is not known',
      common,
      {
        combinedValidationContext: {
          defaultValidationContext: {},
          validationContextCertificateProviderInstance: provider('q'),
        },
      },
    ],
    [
      'combined, both providers, the old not known',
      common,
      {
        combinedValidationContext: {
          defaultValidationContext: ca,
          validationContextCertificateProviderInstance: provider('q'),
        },
      },
    ],
    [
      'combined with SDS',
      common,
      { combinedValidationContext: { defaultValidationContext: ca, validationContextSdsSecretConfig: sds } },
    ],
    [
      'combined with SDS alone',
      common,
      { combinedValidationContext: { defaultValidationContext: {}, validationContextSdsSecretConfig: sds } },
    ],
    [
      'combined with hashes',
      common,
      { combinedValidationContext: { defaultValidationContext: { ...ca, verifyCertificateHash: ['x'] } } },
    ],
    [
      'combined with hashes and the old provider',
      common,
      {
        combinedValidationContext: {
          defaultValidationContext: { ...ca, verifyCertificateHash: ['x'] },
          validationContextCertificateProviderInstance: provider('p'),
        },
      },
    ],
    [
      'combined, SAN of nothing',
      common,
      { combinedValidationContext: { defaultValidationContext: { ...ca, matchSubjectAltNames: [{}] } } },
    ],
    [
      'validation SDS with an identity',
      common,
      { validationContextSdsSecretConfig: sds, tlsCertificateProviderInstance: provider('p') },
    ],
    ['validation by an old provider config', common, { validationContextCertificateProvider: { name: 'p' } }],
    ['identity by an old provider config', `${common}.tlsCertificateCertificateProvider`, { name: 'p' }],
    ['only trusted CA', validation, { trustedCa: { filename: 'x' } }],
    ['system roots beside a provider', `${validation}.systemRootCerts`, {}],
    ['allow expired', `${validation}.allowExpiredCertificate`, true],
    ['trust chain verification', `${validation}.trustChainVerification`, 'ACCEPT_UNTRUSTED'],
    ['watched directory', `${validation}.watchedDirectory`, { path: '/x' }],
    [
      'typed SAN matchers',
      `${validation}.matchTypedSubjectAltNames`,
      [{ sanType: 'DNS', matcher: { exact: 'x' } }],
    ],
    ['verify depth', `${validation}.maxVerifyDepth`, 3],
    ['only verify the leaf CRL', `${validation}.onlyVerifyLeafCertCrl`, true],
    ['ALPN', `${common}.alpnProtocols`, ['h2']],
    ['key log', `${common}.keyLog`, { path: '/x' }],
    ['renegotiation', `${socket}.allowRenegotiation`, true],
    ['session keys', `${socket}.maxSessionKeys`, 5],
    ['enforce RSA usage', `${socket}.enforceRsaKeyUsage`, true],
    ['SAN exact, empty', ...sans({ exact: '' })],
    ['SAN suffix, empty', ...sans({ suffix: '' })],
    ['SAN contains, empty', ...sans({ contains: '' })],
    ['SAN contains', ...sans({ contains: 'x' })],
    ['SAN regex, empty', ...sans({ safeRegex: {} })],
    ['SAN regex', ...sans({ safeRegex: { regex: 'a.*' } })],
    ['SAN prefix that ignores case', ...sans({ prefix: 'x', ignoreCase: true })],
    ['SAN good, then of nothing', ...sans({ exact: 'x' }, {})],
    ['SAN custom', ...sans({ custom: { name: 'x', typedConfig: any('google.protobuf.Empty') } })],
    ['socket matches, none', 'transportSocketMatches', []],
    ['two violations', `${common}.tlsParams`, {}, `${validation}.crl`, { filename: 'x' }],
  ],
};
