import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tapKind } from '@/server/collect/tap/source-kind';
import { readConfig } from '@/server/config/read-config';
import { sourcesOf } from '@/tests/support/config-sources';

function read(...argv: string[]) {
  return readConfig({ argv, env: {}, cwd: '/work-dir', version: '0' });
}

function readFile(content: unknown) {
  const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-taps-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(path.join(dir, 'mesh.yaml'), JSON.stringify(content));
  return {
    dir,
    read: (...more: string[]) =>
      readConfig({ argv: ['--config', 'mesh.yaml', ...more], env: {}, cwd: dir, version: '0' }),
  };
}

describe('taps', () => {
  it('are LISTEN=UPSTREAM, repeatable, and sources: the lab does not run beside them', () => {
    const config = read('--tap', '127.0.0.1:0=10.0.0.1:15010', '--tap', '[::1]:18001=mesh.example:443');
    const taps = sourcesOf(config, 'tap');
    expect(taps.map(({ id, origin }) => [id, origin])).toEqual([
      ['tap:127.0.0.1:0=10.0.0.1:15010', 'flag'],
      ['tap:[::1]:18001=mesh.example:443', 'flag'],
    ]);
    expect(taps[0]?.setup).toMatchObject({
      kind: 'tap',
      settings: { listen: { host: '127.0.0.1', port: 0 }, listenTls: { kind: 'insecure' } },
    });
    expect(config.lab).toBe(false);
  });

  it.each([
    [{ certificateFile: 'cert.pem', privateKeyFile: 'key.pem' }, 'tls'],
    [{ certificateFile: 'cert.pem', privateKeyFile: 'key.pem', caCertificateFile: 'ca.pem' }, 'mtls'],
    [undefined, 'plain'],
  ])('listen with %o, which is shown as %s', (listenTls, security) => {
    const { read: readIt } = readFile({ taps: [{ listen: '127.0.0.1:1', upstream: 'a:2', listenTls }] });
    const [tap] = sourcesOf(readIt(), 'tap');
    if (tap?.setup.kind !== 'tap') throw new Error('expected a tap');
    expect(tapKind.show(tap.setup)).toMatchObject({ security });
  });

  it('name the files of both sides in the config file, as sources do', () => {
    const { dir, read: readIt } = readFile({
      taps: [
        {
          listen: '0.0.0.0:18001',
          upstream: 'istiod:15012',
          label: 'istiod',
          listenTls: { certificateFile: 'cert.pem', privateKeyFile: 'key.pem', caCertificateFile: 'ca.pem' },
          upstreamTls: { caCertificateFile: 'istiod.pem', serverName: 'istiod.istio-system.svc' },
        },
      ],
    });
    const [tap] = sourcesOf(readIt(), 'tap');
    expect(tap).toMatchObject({ label: 'istiod', origin: 'config' });
    expect(tap?.setup).toMatchObject({
      settings: {
        listenTls: { kind: 'tls', certificateFile: path.join(dir, 'cert.pem') },
        upstreamTls: {
          ...{ kind: 'tls', caCertificateFile: path.join(dir, 'istiod.pem'), certificateFile: null },
          serverName: 'istiod.istio-system.svc',
        },
      },
    });
  });

  it('of flags stand beside those of the config file; one that is named by both is rejected', () => {
    const { read: readIt } = readFile({ taps: [{ listen: '127.0.0.1:18001', upstream: 'istiod:15010' }] });
    const flag = ['--tap', '127.0.0.1:18002=10.0.0.1:15010'];
    expect(sourcesOf(readIt(...flag), 'tap').map(({ id, origin }) => [id, origin])).toEqual([
      ['tap:127.0.0.1:18002=10.0.0.1:15010', 'flag'],
      ['tap:127.0.0.1:18001=istiod:15010', 'config'],
    ]);
    expect(() => readIt('--tap', '127.0.0.1:18001=istiod:15010')).toThrow(/once, got .* twice/);
  });

  it('are rejected in one line with the expected value', () => {
    expect(() => read('--tap', '127.0.0.1:1')).toThrow(/expected LISTEN=UPSTREAM.*got "127.0.0.1:1"/);
    expect(() => read('--tap', 'x=10.0.0.1:1')).toThrow(/--tap: expected host:port/);
    expect(() => read('--tap', '127.0.0.1:1=127.0.0.1:1')).toThrow(/another server than the tap itself/);
    expect(() => read('--tap', '127.0.0.1:1=a:2', '--tap', '127.0.0.1:1=a:2')).toThrow(/once, got .* twice/);
    const { read: readIt } = readFile({
      taps: [{ listen: '127.0.0.1:1', upstream: 'a:2', listenTls: { caCertificateFile: 'ca.pem' } }],
    });
    expect(readIt).toThrow(/taps.0.listenTls.certificateFile: expected a certificate to listen with/);
  });
});
