import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { certificateProvider, principals } from '@/lib/interop/cases/security';
import type { Clock } from '../../observe';
import { CertificateAuthority } from '../certificates/certificate-authority';

type Process = keyof typeof principals;

/** Certificates of the client and the servers of a case, in files that only this user can read. */
export class CaseCertificates {
  readonly #dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-interop-'));
  /** PEM. */
  readonly authority: string;

  constructor(clock: Clock) {
    const authority = new CertificateAuthority('xdscope interop tests', () => clock.now());
    this.authority = authority.certificate;
    for (const [name, value] of Object.entries(principals)) {
      const { certificate, key } = authority.issue({ commonName: name, names: [{ kind: 'uri', value }] });
      const files = filesOf(path.join(this.#dir, name));
      mkdirSync(path.join(this.#dir, name));
      writeFileSync(files.certificate_file, certificate);
      writeFileSync(files.private_key_file, key);
      writeFileSync(files.ca_certificate_file, this.authority);
    }
  }

  /** `certificate_providers` of the bootstrap of a process (gRFC A29). */
  providersOf(process: Process) {
    const config = { ...filesOf(path.join(this.#dir, process)), refresh_interval: '600s' };
    return { [certificateProvider]: { plugin_name: 'file_watcher', config } };
  }

  close(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function filesOf(dir: string) {
  return {
    certificate_file: path.join(dir, 'certificate.pem'),
    private_key_file: path.join(dir, 'key.pem'),
    ca_certificate_file: path.join(dir, 'authority.pem'),
  };
}
