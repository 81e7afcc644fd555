import { SDS } from '@/lib/xds/resource-type';
import { casesOf } from './case';

const of = casesOf(SDS, 'certificate');
const authority = casesOf(SDS, 'authority');
const text = (inlineString: string) => ({ inlineString });
const context = (validationContext: object) => ({ name: 'authority', validationContext });
const certificate = (tlsCertificate: object) => ({ name: 'certificate', tlsCertificate });

export const sdsCases = [
  of(
    'certificate without key',
    certificate({ certificateChain: text('no certificate') }),
    'tlsCertificate.privateKey',
    'Failed to load incomplete private key from path',
  ),
  of(
    'missing key file',
    certificate({ certificateChain: text('x'), privateKey: { filename: '/nowhere/key.pem' } }),
    'tlsCertificate.privateKey.filename',
    {
      '1.40.0': 'unable to add filesystem watch for file /nowhere/: No such file or directory',
      '1.36.2': 'Invalid path: /nowhere/key.pem',
    },
  ),
  of(
    'empty file name',
    certificate({ certificateChain: { filename: '' } }),
    'tlsCertificate.certificateChain.filename',
    'value length must be at least 1 characters',
  ),
  of(
    'data source without specifier',
    certificate({ certificateChain: {} }),
    'tlsCertificate.certificateChain.specifier',
    'is required',
  ),
  of(
    'undecodable bytes',
    certificate({}),
    '',
    'Unable to unpack as envoy.extensions.transport_sockets.tls.v3.Secret',
    { isUndecodable: true },
  ),
  authority(
    'missing authority file',
    context({ trustedCa: { filename: '/nowhere/ca.pem' } }),
    'validationContext.trustedCa.filename',
    {
      '1.40.0': 'unable to add filesystem watch for file /nowhere/: No such file or directory',
      '1.36.2': 'Invalid path: /nowhere/ca.pem',
    },
  ),
  authority(
    'empty hash',
    context({ verifyCertificateHash: [''] }),
    'validationContext.verifyCertificateHash[0]',
    'value length must be at least 64 characters',
  ),
  authority(
    'invalid revocation list',
    context({ crl: text('no list') }),
    'validationContext.crl',
    'Failed to load CRL from <inline> without trusted CA',
  ),
  authority(
    'alternative name of undefined type',
    context({ matchTypedSubjectAltNames: [{ matcher: { exact: 'a' } }] }),
    'validationContext.matchTypedSubjectAltNames[0].sanType',
    'value must not be in list [SAN_TYPE_UNSPECIFIED]',
  ),
  authority(
    'alternative name without matcher',
    context({ matchTypedSubjectAltNames: [{ sanType: 'DNS' }] }),
    'validationContext.matchTypedSubjectAltNames[0].matcher',
    'value is required',
  ),
];
