import { CDS } from '@/lib/xds/resource-type';
import { any, router } from './any';
import { type Family, mutationsOf } from './mutation';

const common = 'transportSocket.typedConfig.commonTlsContext';
const validation = `${common}.validationContext`;
const provider = (instanceName: string) => ({ instanceName });
const ca = { caCertificateProviderInstance: provider('p') };
const sds = { name: 'x', sdsConfig: { ads: {} } };

export const tlsFamily: Family = {
  typeUrl: CDS.typeUrl,
  base: {
    name: 'cl',
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {} } },
    transportSocket: {
      name: 'envoy.transport_sockets.tls',
      typedConfig: any('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
        commonTlsContext: { validationContext: ca },
      }),
    },
  },
  mutations: mutationsOf([
    ['another socket', 'transportSocket', { name: 'x', typedConfig: router }, 'cgjn', 'T1'],
    ['a socket without config', 'transportSocket', { name: 'envoy.transport_sockets.tls' }, 'cgjn', 'T1'],
    ['another name', 'transportSocket.name', 'x', 'g', 'T1'],
    [
      'TLS through a proxy',
      'transportSocket',
      {
        name: 'x',
        typedConfig: any('envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport', {
          transportSocket: { name: 'x' },
        }),
      },
      'cgjn',
      'C10',
    ],
    ['no context', common, undefined, 'cgjn', 'T2'],
    ['no validation', common, {}, 'cgjn', 'T2'],
    ['no CA', validation, {}, 'cgjn', 'T2'],
    ['system roots', validation, { systemRootCerts: {} }, 'cgn', 'T2'],
    ['combined', common, { combinedValidationContext: { defaultValidationContext: ca } }, 'e'],
    ['combined of nothing', common, { combinedValidationContext: {} }, 'cgjne', 'T2'],
    [
      'combined, old provider',
      common,
      {
        combinedValidationContext: {
          defaultValidationContext: {},
          validationContextCertificateProviderInstance: provider('p'),
        },
      },
      'ne',
      'T2',
    ],
    ['old provider', common, { validationContextCertificateProviderInstance: provider('p') }, 'cjn', 'T2'],
    ['params', `${common}.tlsParams`, {}, 'cgjn', 'T3'],
    ['handshaker', `${common}.customHandshaker`, { name: 'x' }, 'cgjne', 'T3'],
    [
      'SPKI',
      `${validation}.verifyCertificateSpki`,
      ['NvqYIYSbgK2vCJpQhObf77vv+bQWtc5ek5RIOwPiC9A='],
      'cgjn',
      'T4',
    ],
    [
      'hash',
      `${validation}.verifyCertificateHash`,
      [
        'DF:6F:F7:2F:E9:11:65:21:26:8F:6F:2D:D4:96:6F:51:DF:47:98:83:FE:70:37:B3:9F:75:91:6A:C3:04:9D:1A'.toLowerCase(),
      ],
      'cgjn',
      'T4',
    ],
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
      'cgjn',
      'T5',
    ],
    ['SDS certificates', `${common}.tlsCertificateSdsSecretConfigs`, [sds], 'cgjn', 'T5'],
    ['identity', `${common}.tlsCertificateProviderInstance`, provider('p'), ''],
    ['identity that is not known', `${common}.tlsCertificateProviderInstance`, provider('q'), 'cgjn', 'T6'],
    ['CA that is not known', `${validation}.caCertificateProviderInstance`, provider('q'), 'cgjn', 'T6'],
    ['SAN', `${validation}.matchSubjectAltNames`, [{ exact: 'x' }], ''],
    ['SAN of nothing', `${validation}.matchSubjectAltNames`, [{}], 'cgje', 'T7'],
    ['SAN with an empty prefix', `${validation}.matchSubjectAltNames`, [{ prefix: '' }], 'ge', 'T7'],
    [
      'SAN with a bad regex',
      `${validation}.matchSubjectAltNames`,
      [{ safeRegex: { regex: '(' } }],
      'cgje',
      'T7',
    ],
    [
      'SAN with a regex that ignores case',
      `${validation}.matchSubjectAltNames`,
      [{ safeRegex: { regex: 'a' }, ignoreCase: true }],
      'c',
      'T7',
    ],
    ['long SNI', 'transportSocket.typedConfig.sni', 'x'.repeat(256), 'e', 'T8'],
    ['SNI of 255', 'transportSocket.typedConfig.sni', 'x'.repeat(255), ''],
    ['socket matches', 'transportSocketMatches', [{ name: 'x' }], 'gj', 'T9'],
  ]),
};
