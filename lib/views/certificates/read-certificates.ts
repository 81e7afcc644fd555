import { findTime } from '../../format/iso-time';
import type { EpochMs } from '../../xds/units';
import type { Certificate } from './schema';

export interface CertificateFacts
  extends Pick<Certificate, 'role' | 'path' | 'serialNumber' | 'issuer' | 'names'> {
  readonly validFrom: EpochMs | undefined;
  /** null if it is not reported. */
  readonly expiresAt: EpochMs | undefined;
}

/** Reads envoy.admin.v3.Certificates as proto3 JSON. Invalid parts are left out; each certificate is listed once. */
export function readCertificates(json: unknown): CertificateFacts[] {
  const facts = listOf(json, 'certificates').flatMap((entry) => [
    ...listOf(entry, 'certChain').map((each) => readOne(each, 'chain')),
    ...listOf(entry, 'caCert').map((each) => readOne(each, 'ca')),
  ]);
  return [...new Map(facts.map((each) => [JSON.stringify(each), each])).values()];
}

function readOne(json: unknown, role: CertificateFacts['role']): CertificateFacts {
  return {
    role,
    path: textOf(json, 'path'),
    serialNumber: textOf(json, 'serialNumber'),
    issuer: '',
    names: listOf(json, 'subjectAltNames')
      .map((name) => textOf(name, 'dns') || textOf(name, 'uri') || textOf(name, 'ipAddress'))
      .filter((name) => name !== ''),
    validFrom: timeOf(json, 'validFrom'),
    expiresAt: timeOf(json, 'expirationTime'),
  };
}

export function memberOf(json: unknown, key: string): unknown {
  return typeof json === 'object' && json !== null ? Reflect.get(json, key) : undefined;
}

function listOf(json: unknown, key: string): readonly unknown[] {
  const member = memberOf(json, key);
  return Array.isArray(member) ? member : [];
}

function textOf(json: unknown, key: string): string {
  const member = memberOf(json, key);
  return typeof member === 'string' ? member : '';
}

function timeOf(json: unknown, key: string): EpochMs | undefined {
  return findTime(textOf(json, key));
}
