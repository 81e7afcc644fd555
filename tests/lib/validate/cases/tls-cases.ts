import { CDS } from '@/lib/xds/resource-type';
import { any, router } from './any';
import { oldCa, provider, upstream } from './listener-builders';
import { type Family, mutationsOf, rowsAt } from './mutation';

export const socket = 'transportSocket.typedConfig';
export const common = `${socket}.commonTlsContext`;
export const validation = `${common}.validationContext`;
export const ca = { caCertificateProviderInstance: provider('p') };
export const sds = { name: 'x', sdsConfig: { ads: {} } };
export const combined = (defaultValidationContext: object, fields: object = {}) => ({
  combinedValidationContext: { defaultValidationContext, ...fields },
});
const proxy = 'envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport';
const hash =
  'df:6f:f7:2f:e9:11:65:21:26:8f:6f:2d:d4:96:6f:51:df:47:98:83:fe:70:37:b3:9f:75:91:6a:c3:04:9d:1a';

export const tlsFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: {
    name: 'cl',
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {} } },
    transportSocket: {
      name: 'envoy.transport_sockets.tls',
      typedConfig: any(upstream, {
        commonTlsContext: { validationContext: ca },
      }),
    },
  },
  mutations: mutationsOf([
    ['another socket', 'transportSocket', { name: 'x', typedConfig: router }, 'cgjn', 'T1'],
    ['a socket without config', 'transportSocket', { name: 'envoy.transport_sockets.tls' }, 'cgjne', 'T1'],
    ['another name', 'transportSocket.name', 'x', 'g', 'T1'],
    [
      'TLS through a proxy',
      'transportSocket',
      { name: 'x', typedConfig: any(proxy, { transportSocket: { name: 'x' } }) },
      'cgjne',
      'C10',
    ],
    ['no context', common, undefined, 'cgjn', 'T2'],
    ['no validation', common, {}, 'cgjn', 'T2'],
    ['no CA', validation, {}, 'cgjn', 'T2'],
    ['system roots', validation, { systemRootCerts: {} }, 'cgn', 'T2'],
    ...rowsAt(common, [
      ['combined', combined(ca), 'e'],
      ['combined of nothing', { combinedValidationContext: {} }, 'cgjne', 'T2'],
      ['combined, old provider', combined({}, oldCa('p')), 'ne', 'T2'],
      ['old provider', oldCa('p'), 'cjn', 'T2'],
    ]),
    ['params', `${common}.tlsParams`, {}, 'cgjn', 'T3'],
    ['handshaker', `${common}.customHandshaker`, { name: 'x' }, 'cgjne', 'T3'],
    [
      'SPKI',
      `${validation}.verifyCertificateSpki`,
      ['NvqYIYSbgK2vCJpQhObf77vv+bQWtc5ek5RIOwPiC9A='],
      'cgjn',
      'T4',
    ],
    ['hash', `${validation}.verifyCertificateHash`, [hash], 'cgjn', 'T4'],
    ['timestamps', `${validation}.requireSignedCertificateTimestamp`, true, 'cgjn', 'T4'],
    ['timestamps off', `${validation}.requireSignedCertificateTimestamp`, false, 'n', 'T4'],
    ['CRL', `${validation}.crl`, { filename: 'x' }, 'cgjn', 'T4'],
    ['custom validator', `${validation}.customValidatorConfig`, { name: 'x' }, 'cgjne', 'T4'],
    ['trusted CA beside it', `${validation}.trustedCa`, { filename: 'x' }, ''],
    ['SDS validation', common, { validationContextSdsSecretConfig: sds }, 'cgjn', 'T5'],
    [
      'inline certificates',
      `${common}.tlsCertificates`,
      [{ certificateChain: { filename: 'x' } }],
      'cgjne',
      'T5',
    ],
    ['SDS certificates', `${common}.tlsCertificateSdsSecretConfigs`, [sds], 'cgjn', 'T5'],
    ['identity', `${common}.tlsCertificateProviderInstance`, provider('p'), ''],
    ['identity that is not known', `${common}.tlsCertificateProviderInstance`, provider('q'), 'cgjn', 'T6'],
    ['CA that is not known', `${validation}.caCertificateProviderInstance`, provider('q'), 'cgjn', 'T6'],
    ...rowsAt(`${validation}.matchSubjectAltNames`, [
      ['SAN', [{ exact: 'x' }], 'e'],
      ['SAN of nothing', [{}], 'cgje', 'T7'],
      ['SAN with an empty prefix', [{ prefix: '' }], 'ge', 'T7'],
      ['SAN with a bad regex', [{ safeRegex: { regex: '(' } }], 'cgje', 'T7'],
      ['SAN with a regex that ignores case', [{ safeRegex: { regex: 'a' }, ignoreCase: true }], 'ce', 'T7'],
    ]),
    ['long SNI', `${socket}.sni`, 'x'.repeat(256), 'e', 'T8'],
    ['SNI of 255', `${socket}.sni`, 'x'.repeat(255), ''],
    ['socket matches', 'transportSocketMatches', [{ name: 'x' }], 'gje', 'T9'],
  ]),
};
