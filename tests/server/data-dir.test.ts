import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '@/server/config-error';
import { prepareDataDir } from '@/server/data-dir';
import { readRedactionKey } from '@/server/redaction-key';
import { SavedSourcesFile } from '@/server/sources/saved-sources';

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
  it('makes a key once, readable by its owner alone', () => {
    const key = readRedactionKey(dir);
    expect(key).toHaveLength(32);
    expect(Buffer.from(readRedactionKey(dir))).toEqual(Buffer.from(key));
    expect(statSync(path.join(dir, 'redaction.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['checksums.json', 'redaction.key']);
  });

  it('rejects the empty file that a full disk left', () => {
    writeFileSync(path.join(dir, 'redaction.key'), '');
    expect(() => readRedactionKey(dir)).toThrow(/redaction\.key: expected a key of 32 bytes, got 0/);
  });
});

describe('SavedSourcesFile', () => {
  it('reads what it wrote, and nothing where nothing was written', () => {
    const file = new SavedSourcesFile(dir);
    expect(file.read()).toEqual({ sources: [], pausedIds: [] });
    const saved = {
      sources: [{ kind: 'csds' as const, target: '127.0.0.1:1', label: 'a', paused: true }],
      pausedIds: ['ads:x:1'],
    };
    file.write(saved);
    expect(file.read()).toEqual(saved);
  });

  const broken: [string, string, RegExp][] = [
    ['no JSON', '{\n\n]', /sources\.json: expected the sources that xdscope saved/],
    [
      'a target that is none',
      '{"version":1,"sources":[{"kind":"csds","target":"unix:/x","label":"","paused":false}],"pausedIds":[]}',
      /sources\.0\.target: expected host:port/,
    ],
    ['another version', '{"version":2}', /sources\.json: expected version 1, got 2: .* move the file away/],
    ['no version', '{"sources":[]}', /sources\.json: expected version 1, got none: /],
  ];
  it.each(broken)('rejects %s in one line', (_what, content, message) => {
    writeFileSync(path.join(dir, 'sources.json'), content);
    const read = (): unknown => new SavedSourcesFile(dir).read();
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/\n/);
  });

  it('rejects a directory in its place in one line', () => {
    mkdirSync(path.join(dir, 'sources.json'));
    expect(() => new SavedSourcesFile(dir).read()).toThrow(/sources\.json: expected a file that can be read/);
  });
});
