import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate and its key in PEM, generated for one test run. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface IssueOptions {
  readonly name?: string;
  readonly ip?: readonly [number, number, number, number];
  readonly dns?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const dayMs = 86_400_000;

/** A certificate authority with P-256 keys, valid from yesterday until tomorrow. */
export class TestAuthority {
  readonly #name: string;

  readonly certificate: string;
  readonly #keys = makeKeys();
  #serial = 1;

  constructor(name = 'test authority') {
    this.#name = name;

    const extensions = [extension('551d13', true, sequence(der(0x01, Buffer.from([0xff]))))];
    this.certificate = this.#sign({ name }, this.#keys.publicKey, extensions);
  }

  issue(options: IssueOptions): TestCertificate {
    const { publicKey, privateKey } = makeKeys();
    const { ip, dns } = options;
    const names = [
      ...(ip === undefined ? [] : [der(0x87, Buffer.from(ip))]),
      ...(dns === undefined ? [] : [der(0x82, Buffer.from(dns))]),
    ];
    const extensions = names.length === 0 ? [] : [extension('551d11', false, sequence(...names))];
    return {
      certificate: this.#sign(options, publicKey, extensions),
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
  }

  #sign(
    { name = 'test', notBefore, notAfter }: IssueOptions,
    publicKey: KeyObject,
    extensions: readonly Buffer[],
  ): string {
    const now = Date.now();
    const algorithm = sequence(oid('2a8648ce3d040302'));
    const toBeSigned = sequence(
      der(0xa0, integer(2)),
      integer(this.#serial++),
      algorithm,
      distinguishedName(this.#name),
      sequence(time(notBefore ?? new Date(now - dayMs)), time(notAfter ?? new Date(now + dayMs))),
      distinguishedName(name),
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

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
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
