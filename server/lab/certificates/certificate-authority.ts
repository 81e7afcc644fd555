import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import type { Certificate, SubjectName } from '@/lib/twin/twin';

interface SubjectOptions {
  readonly commonName?: string;
  readonly names?: readonly SubjectName[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const dayMs = 86_400_000;

/**
 * A certificate authority with P-256 keys that exists in this process only. Certificates are valid from yesterday until
 * tomorrow.
 */
export class CertificateAuthority {
  readonly #name: string;
  readonly #now: () => number;
  /** PEM. */
  readonly certificate: string;
  readonly #keys = makeKeys();

  constructor(name: string, now: () => number) {
    this.#name = name;
    this.#now = now;
    const extensions = [extension('551d13', true, sequence(der(0x01, Buffer.from([0xff]))))];
    this.certificate = this.#sign({ commonName: name }, this.#keys.publicKey, extensions);
  }

  issue(options: SubjectOptions): Certificate {
    const { publicKey, privateKey } = makeKeys();
    const names = (options.names ?? []).map(generalName);
    const extensions = names.length === 0 ? [] : [extension('551d11', false, sequence(...names))];
    return {
      certificate: this.#sign(options, publicKey, extensions),
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
  }

  #sign(
    { commonName = this.#name, notBefore, notAfter }: SubjectOptions,
    publicKey: KeyObject,
    extensions: readonly Buffer[],
  ): string {
    const now = this.#now();
    const algorithm = sequence(oid('2a8648ce3d040302'));
    const toBeSigned = sequence(
      der(0xa0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
      algorithm,
      distinguishedName(this.#name),
      sequence(time(notBefore ?? new Date(now - dayMs)), time(notAfter ?? new Date(now + dayMs))),
      distinguishedName(commonName),
      publicKey.export({ type: 'spki', format: 'der' }),
      ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
    );
    const signature = sign('sha256', toBeSigned, this.#keys.privateKey);
    const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]));
    const lines =
      sequence(toBeSigned, algorithm, bits)
        .toString('base64')
        .match(/.{1,64}/g) ?? [];
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  }
}

/** RFC 5280, section 4.2.1.6. */
function generalName({ kind, value }: SubjectName): Buffer {
  if (kind === 'ip') return der(0x87, ipBytes(value));
  const tags = { email: 0x81, dns: 0x82, uri: 0x86 } as const;
  return der(tags[kind], Buffer.from(value));
}

function ipBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes every IPv6 address in its canonical form.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array(8 - before.length - after.length).fill('0');
  const all = [...before, ...(tail === undefined ? [] : zeros), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function makeKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** ITU-T X.690: tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** The first byte must be positive. */
function integer(value: Buffer): Buffer {
  return der(0x02, value);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function distinguishedName(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
}

/** GeneralizedTime. */
function time(at: Date): Buffer {
  return der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : [];
  return sequence(oid(id), ...critical, der(0x04, value));
}
