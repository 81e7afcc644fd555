import { X509Certificate } from 'node:crypto';
import { findTime } from '@/lib/format/iso-time';
import { type CertificateFacts, memberOf } from '@/lib/views/certificates/read-certificates';

/** Bundles of public authorities have about 150. */
const mostCertificates = 500;
const pem = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a Secret in proto3 JSON: the first one of a chain, which is the one of the peer itself, and all of
 * a trusted_ca. What is in files or cannot be read is left out.
 */
export function readSecretCertificates(json: unknown): CertificateFacts[] {
  const chain = pemsOf(memberOf(memberOf(json, 'tlsCertificate'), 'certificateChain')).slice(0, 1);
  const trusted = pemsOf(memberOf(memberOf(json, 'validationContext'), 'trustedCa'));
  return [
    ...chain.flatMap((text) => readOne(text, 'chain')),
    ...trusted.slice(0, mostCertificates).flatMap((text) => readOne(text, 'ca')),
  ];
}

/** Serial numbers are written in upper or lower case, and with or without leading zeros. */
export function normaliseSerial(serialNumber: string): string {
  return serialNumber.toLowerCase().replace(/^0+/, '');
}

function readOne(text: string, role: CertificateFacts['role']): CertificateFacts[] {
  try {
    const { serialNumber, issuer, subjectAltName, validFrom, validTo } = new X509Certificate(text);
    return [
      {
        role,
        path: '',
        serialNumber: normaliseSerial(serialNumber),
        issuer: issuer.split('\n').reverse().join(', '),
        names: namesOf(subjectAltName ?? ''),
        validFrom: findTime(validFrom),
        expiresAt: findTime(validTo),
      },
    ];
  } catch {
    // The bytes are not a certificate, which validation reports.
    return [];
  }
}

/** "DNS:a.example, URI:spiffe://b" as Node writes it. */
function namesOf(text: string): string[] {
  return text
    .split(', ')
    .map((name) => name.replace(/^(?:DNS|URI|IP Address|email):/, ''))
    .filter((name) => name !== '');
}

function pemsOf(source: unknown): string[] {
  const bytes = memberOf(source, 'inlineBytes');
  const inline = memberOf(source, 'inlineString');
  const text =
    typeof bytes === 'string'
      ? Buffer.from(bytes, 'base64').toString('latin1')
      : typeof inline === 'string'
        ? inline
        : '';
  return text.match(pem) ?? [];
}
