import { rootCertificates } from 'node:tls';
import { readCredentialFile } from './read-credential-file';

/** The authorities that Node trusts when nobody names others, NODE_EXTRA_CA_CERTS included, in PEM. */
export async function readSystemRoots(): Promise<Buffer> {
  const { NODE_EXTRA_CA_CERTS: extra } = process.env;
  const more =
    extra === undefined || extra === ''
      ? ''
      : (await readCredentialFile(extra, 'CA certificate')).toString('latin1');
  return Buffer.from([...rootCertificates, more].join('\n'), 'latin1');
}
