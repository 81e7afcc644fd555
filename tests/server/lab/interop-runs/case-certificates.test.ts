import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CaseCertificates } from '@/server/lab/interop-runs/case-certificates';
import { systemClock } from '@/server/observe';

it('makes certificates of one authority for client and server, and removes them', () => {
  const certificates = new CaseCertificates(systemClock);
  const authority = new X509Certificate(certificates.authority);
  const [client, server] = (['client', 'server'] as const).map((process) => {
    const { plugin_name, config } = certificates.providersOf(process).identity;
    expect(plugin_name).toBe('file_watcher');
    const own = new X509Certificate(readFileSync(config.certificate_file));
    expect(own.subjectAltName).toBe(`URI:spiffe://interop.test/${process}`);
    expect(own.verify(authority.publicKey)).toBe(true);
    expect(readFileSync(config.ca_certificate_file, 'utf8')).toBe(certificates.authority);
    return config;
  });
  expect(client?.private_key_file).not.toBe(server?.private_key_file);
  const dir = path.dirname(path.dirname(client?.private_key_file ?? ''));
  expect(statSync(dir).mode & 0o077).toBe(0);
  certificates.close();
  expect(existsSync(dir)).toBe(false);
});
