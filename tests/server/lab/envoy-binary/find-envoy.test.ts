import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findEnvoy } from '@/server/lab/envoy-binary/find-envoy';

const dir = mkdtempSync(path.join(os.tmpdir(), 'find-envoy-'));

/** A program that prints a version as Envoy does. */
function program(file: string, line: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho\necho "${line}"\n`);
  chmodSync(file, 0o755);
  return file;
}

const versionLine = (file: string, version: string): string =>
  `${file}  version: 0123abc/${version}/Clean/RELEASE/BoringSSL`;
const cached = (folder: string): string => path.join(dir, 'cache', folder, 'envoy', '_bin', 'envoy');

describe('findEnvoy', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('takes the requested one, whatever else there is', async () => {
    const command = program(path.join(dir, 'own', 'my-envoy'), versionLine('my-envoy', '1.33.1'));
    expect(await findEnvoy(command, path.join(dir, 'cache'))).toEqual({
      ...{ kind: 'found', command, version: '1.33.1' },
    });
  });

  it('states what is wrong with the requested one, and searches no other', async () => {
    program(cached('1.40.0-c3a3a7e4'), versionLine('envoy', '1.40.0'));
    const missing = path.join(dir, 'missing');
    expect(await findEnvoy(missing, path.join(dir, 'cache'))).toEqual({
      ...{ kind: 'absent', reason: `XDSCOPE_ENVOY: ${missing}: not found` },
    });
    const other = program(path.join(dir, 'own', 'other'), 'curl 8.1');
    expect(await findEnvoy(other, path.join(dir, 'cache'))).toMatchObject({
      ...{ kind: 'absent', reason: expect.stringContaining('expected a version, got') },
    });
  });

  it('takes that of the PATH, or the newest complete one of the cache', async () => {
    const cache = path.join(dir, 'cache');
    program(cached('1.9.0-aaaaaaaa'), versionLine('envoy', '1.9.0'));
    const newest = program(cached('1.40.0-c3a3a7e4'), versionLine('envoy', '1.40.0'));
    program(cached('1.41.0-c3a3a7e4.123'), versionLine('envoy', '1.41.0'));
    vi.stubEnv('PATH', `${path.join(dir, 'empty')}:/bin:/usr/bin`);
    const found = await findEnvoy('', cache);
    expect(found).toEqual({ kind: 'found', command: newest, version: '1.40.0' });
    program(path.join(dir, 'bin', 'envoy'), versionLine('envoy', '1.36.2'));
    vi.stubEnv('PATH', `${path.join(dir, 'bin')}:/bin:/usr/bin`);
    expect(await findEnvoy('', cache)).toEqual({ kind: 'found', command: 'envoy', version: '1.36.2' });
  });

  it('states how to add one when there is none', async () => {
    vi.stubEnv('PATH', path.join(dir, 'empty'));
    const found = await findEnvoy('', path.join(dir, 'no-cache'));
    expect(found).toMatchObject({ kind: 'absent', reason: expect.stringMatching(/set XDSCOPE_ENVOY/) });
  });
});
