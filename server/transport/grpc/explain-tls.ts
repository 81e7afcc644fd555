import type { Problem } from '@/lib/observation/observation';
import type { ChannelTls } from './channel-security';
import { closedAfterHandshake, type PeerKind } from './sniff-peer';

interface Pattern {
  readonly code: string;
  readonly reported: RegExp;
  readonly message: string;
  readonly hint: string;
}

/** Texts of OpenSSL and Node for a failed handshake (RFC 8446 6 names the alerts). The first match counts. */
const patterns: readonly Pattern[] = [
  {
    code: 'TLS_NAME_MISMATCH',
    reported: /does not match certificate's altnames/i,
    message: 'its certificate is for other names',
    hint: 'Use a name of the certificate, set it as tls.serverName, or add the name of the target to the certificate (subjectAltName).',
  },
  {
    code: 'TLS_CERTIFICATE_EXPIRED',
    reported: /certificate has expired|CERT_HAS_EXPIRED/i,
    message: 'its certificate has expired',
    hint: 'The server needs a new certificate; or one of the two clocks is wrong.',
  },
  {
    code: 'TLS_CERTIFICATE_NOT_YET_VALID',
    reported: /certificate is not yet valid|CERT_NOT_YET_VALID/i,
    message: 'its certificate is not valid yet',
    hint: 'One of the two clocks may be wrong.',
  },
  {
    code: 'TLS_UNKNOWN_CA',
    reported: /unable to (?:verify|get)|self[- ]signed|issuer certificate|UNABLE_TO_/i,
    message: 'its certificate is from an authority that is not trusted',
    hint: 'Set the CA certificate file of this source to the authority that signed it.',
  },
  {
    code: 'TLS_CLIENT_CERTIFICATE_REQUIRED',
    reported: /alert (?:certificate required|no certificate)|alert number 116|CERTIFICATE_REQUIRED/i,
    message: 'it requires a client certificate and got none',
    hint: 'Set a certificate file and its private key file (mTLS).',
  },
  {
    code: 'TLS_CLIENT_CERTIFICATE_REJECTED',
    reported:
      /alert (?:unknown ca|bad certificate|certificate (?:unknown|expired|revoked)|unsupported certificate|access denied)/i,
    message: 'it rejects our client certificate',
    hint: 'Is it signed by the authority that the server trusts, and still valid?',
  },
];

/** Explains why a TLS connection failed. Undefined if TLS is not the reason. */
export function describeTls(
  details: string,
  where: string,
  { problems, material }: ChannelTls,
  peer: PeerKind | undefined,
): Problem | undefined {
  if (/Failed to load credentials/.test(details)) {
    const why =
      problems.length === 0 ? 'the files of its credentials have not been read yet' : problems.join('; ');
    return {
      code: 'TLS_FILES',
      message: `${where}: ${why}`,
      hint: 'The files are used as soon as they are valid.',
    };
  }
  if (peer?.kind === 'http2' || /wrong version number|packet length too long/i.test(details)) {
    return {
      code: 'PLAIN_TEXT_EXPECTED',
      message: `${where}: expected a server with TLS, got plain text`,
      hint: 'Disable TLS for this source, or use the TLS port of this server.',
    };
  }
  const found = patterns.find(({ reported }) => reported.test(details));
  if (found !== undefined) {
    const { code, message, hint } = found;
    return { code, message: `${where}: ${message} (${details})`, hint };
  }
  if (details === closedAfterHandshake && material?.cert !== undefined) {
    return {
      code: 'TLS_CLIENT_CERTIFICATE_REJECTED',
      message: `${where}: it may reject our client certificate (${details})`,
      hint: 'Is it signed by the authority that the server trusts, and still valid?',
    };
  }
  if (/alert|handshake|SSL routines|TLS/i.test(details) || peer?.kind === 'tls') {
    return {
      code: 'TLS_HANDSHAKE',
      message: `${where}: the TLS handshake failed: ${details}`,
      hint: 'Both sides must have a protocol version in common; the server may require a client certificate.',
    };
  }
  return undefined;
}
