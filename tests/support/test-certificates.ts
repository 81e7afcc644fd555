import { CertificateAuthority } from '@/server/lab/certificates/certificate-authority';

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

/** A certificate authority with P-256 keys, valid from yesterday until tomorrow. */
export class TestAuthority {
  readonly #authority: CertificateAuthority;
  readonly certificate: string;

  constructor(name = 'test authority') {
    this.#authority = new CertificateAuthority(name, () => Date.now());
    this.certificate = this.#authority.certificate;
  }

  issue({ name = 'test', ip, dns, ...validity }: IssueOptions): TestCertificate {
    const names = [
      ...(ip === undefined ? [] : [{ kind: 'ip' as const, value: ip.join('.') }]),
      ...(dns === undefined ? [] : [{ kind: 'dns' as const, value: dns }]),
    ];
    return this.#authority.issue({ commonName: name, names, ...validity });
  }
}
