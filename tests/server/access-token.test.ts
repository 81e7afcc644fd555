import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAccessToken } from '@/server/access-token';
import { ConfigError } from '@/server/config-error';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-token-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('readAccessToken()', () => {
  it('requires no token if the config states so, and else that of the config', () => {
    expect(readAccessToken({ token: 'none', dataDir })).toBeUndefined();
    expect(readAccessToken({ token: { value: 'chosen-by-the-reader' }, dataDir })).toBe(
      'chosen-by-the-reader',
    );
  });

  it('generates a token that remains after a restart, in a file that others cannot read', () => {
    const first = readAccessToken({ token: 'generated', dataDir });
    expect(first).toMatch(/^[\w-]{32}$/);
    expect(readAccessToken({ token: 'generated', dataDir })).toBe(first);
    expect(statSync(path.join(dataDir, 'access-token')).mode & 0o077).toBe(0);
  });

  it('rejects a file whose token could be guessed, and does not repeat the token', () => {
    writeFileSync(path.join(dataDir, 'access-token'), 'short\n');
    const read = () => readAccessToken({ token: 'generated', dataDir });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/expected a token of 16 to 256 letters.*, got 5 characters/);
    expect(read).not.toThrow(/short/);
  });
});
