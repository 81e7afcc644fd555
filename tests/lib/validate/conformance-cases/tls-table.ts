import { any, typedStruct } from '../cases/any';
import { downstream, oldCa, provider, upstream } from '../cases/listener-builders';
import { ca, combined, common, sds, socket, tlsFamily, validation } from '../cases/tls-cases';
import { type ConformanceTable, foreignHost, garbage, rowsAt } from './conformance-case';

const identity = `${common}.tlsCertificateProviderInstance`;
const oldIdentity = `${common}.tlsCertificateCertificateProviderInstance`;

export const tlsTable: ConformanceTable = {
  family: tlsFamily,
  rows: [
    ['socket of nothing', 'transportSocket', {}],
    ['socket without name', 'transportSocket.name', undefined],
    ...rowsAt(socket, [
      ['garbage', garbage(upstream)],
      ['in a TypedStruct', typedStruct(upstream)],
      ['of another host', foreignHost(upstream)],
      ['downstream context', any(downstream)],
      ['raw buffer', any('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer')],
    ]),
    ['context of nothing', common, {}],
    ['CA provider without name', `${validation}.caCertificateProviderInstance`, {}],
    [
      'CA provider with a certificate name',
      `${validation}.caCertificateProviderInstance.certificateName`,
      'c',
    ],
    ['identity provider without name', identity, {}],
    ['identity provider, old field', oldIdentity, provider('p')],
    ['identity provider, old field, not known', oldIdentity, provider('q')],
    ['certificates beside an identity', `${common}.tlsCertificates`, [{}], identity, provider('p')],
    [
      'SDS certificates beside an identity',
      `${common}.tlsCertificateSdsSecretConfigs`,
      [sds],
      identity,
      provider('p'),
    ],
    ['certificates beside the old identity', `${common}.tlsCertificates`, [{}], oldIdentity, provider('p')],
    ...rowsAt(common, [
      ['combined without default', { combinedValidationContext: oldCa('p') }],
      [
        'combined, CA in the default that is not known',
        combined({ caCertificateProviderInstance: provider('q') }),
      ],
      ['combined, old provider that is not known', combined({}, oldCa('q'))],
      ['combined, both providers, the old not known', combined(ca, oldCa('q'))],
      ['combined with SDS', combined(ca, { validationContextSdsSecretConfig: sds })],
      ['combined with SDS alone', combined({}, { validationContextSdsSecretConfig: sds })],
      ['combined with hashes', combined({ ...ca, verifyCertificateHash: ['x'] })],
      [
        'combined with hashes and the old provider',
        combined({ ...ca, verifyCertificateHash: ['x'] }, oldCa('p')),
      ],
      ['combined, SAN of nothing', combined({ ...ca, matchSubjectAltNames: [{}] })],
      [
        'validation SDS with an identity',
        { validationContextSdsSecretConfig: sds, tlsCertificateProviderInstance: provider('p') },
      ],
      ['validation by an old provider config', { validationContextCertificateProvider: { name: 'p' } }],
    ]),
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
    ...rowsAt(`${validation}.matchSubjectAltNames`, [
      ['SAN exact, empty', [{ exact: '' }]],
      ['SAN suffix, empty', [{ suffix: '' }]],
      ['SAN contains, empty', [{ contains: '' }]],
      ['SAN contains', [{ contains: 'x' }]],
      ['SAN regex, empty', [{ safeRegex: {} }]],
      ['SAN regex', [{ safeRegex: { regex: 'a.*' } }]],
      ['SAN prefix that ignores case', [{ prefix: 'x', ignoreCase: true }]],
      ['SAN good, then of nothing', [{ exact: 'x' }, {}]],
      ['SAN custom', [{ custom: { name: 'x', typedConfig: any('google.protobuf.Empty') } }]],
    ]),
    ['socket matches, none', 'transportSocketMatches', []],
    ['two violations', `${common}.tlsParams`, {}, `${validation}.crl`, { filename: 'x' }],
  ],
};
