import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '@/server/config-error';
import { prepareDataDir } from '@/server/data-dir';
import { readRedactionKey, redactionKeyEntry } from '@/server/redaction-key';
import { openKept } from '../support/test-state';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-data-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('prepareDataDir()', () => {
  it('says in one line what is in its place', () => {
    const file = path.join(dir, 'taken');
    writeFileSync(file, '');
    expect(() => prepareDataDir(file)).toThrow(ConfigError);
    expect(() => prepareDataDir(path.join(file, 'below'))).toThrow(
      /^--data-dir: expected a directory that can be written, got .*ENOTDIR.*$/,
    );
  });
});

describe('readRedactionKey()', () => {
  const read = async () => readRedactionKey(dir, await openKept(redactionKeyEntry, dir));
  const file = () => path.join(dir, 'redaction.key');

  it('makes a key once, readable by its owner alone', async () => {
    const { key, changed } = await read();
    expect([key.length, changed]).toEqual([32, undefined]);
    const again = await read();
    expect(Buffer.from(again.key)).toEqual(Buffer.from(key));
    expect(again.changed).toBeUndefined();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('reports once that the key was changed or removed', async () => {
    await read();
    writeFileSync(file(), Buffer.alloc(32, 7));
    expect((await read()).changed).toMatch(/redaction\.key was changed since the last start, so markers/);
    expect((await read()).changed).toBeUndefined();
    rmSync(file());
    expect((await read()).changed).toMatch(/redaction\.key was removed since the last start, so markers/);
    expect((await read()).changed).toBeUndefined();
  });

  it('rejects the empty file that a full disk left', async () => {
    writeFileSync(file(), '');
    await expect(read()).rejects.toThrow(/redaction\.key: expected a key of 32 bytes, got 0/);
  });
});
