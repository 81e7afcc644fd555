import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { plantSecrets } from '@/tests/support/builders/secret-kinds';
import { readDataDirectory, SecretSearch } from '@/tests/support/find-secrets';

const planted = plantSecrets();
const found = (bytes: string | Uint8Array): number => {
  const search = new SecretSearch(planted);
  search.look('here', bytes);
  return search.leaks.size;
};
const all = planted.map(({ text }) => text).join('\n');
const bytes = Buffer.from(all);

it.each([
  ['as they are', all],
  ['in base64', bytes.toString('base64')],
  ['in base64 that begins one byte earlier', Buffer.concat([Buffer.from('x'), bytes]).toString('base64')],
  ['in hexadecimal', bytes.toString('hex')],
  ['in UTF-16', Buffer.from(all, 'utf16le')],
])('secrets are found %s', (_, content) => expect(found(content)).toBe(planted.length));

it('nothing else is', () =>
  expect(
    found(
      plantSecrets()
        .map(({ text }) => text)
        .join('\n'),
    ),
  ).toBe(0));

it('secrets are found in a data directory, packed and not', () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-find-'));
  try {
    writeFileSync(path.join(dir, 'a.gz'), gzipSync(all));
    const database = new Database(path.join(dir, 'b.sqlite'));
    database.exec('CREATE TABLE t (c)');
    database
      .prepare('INSERT INTO t VALUES (?)')
      .run([Buffer.concat([Buffer.from('head'), deflateSync(all)])]);
    database.close();
    const search = new SecretSearch(planted);
    for (const [where, content] of readDataDirectory(dir)) search.look(where, content);
    expect(search.leaks.size).toBe(planted.length);
    for (const places of search.leaks.values())
      expect(places).toEqual(new Set(['a.gz, unpacked', 'b.sqlite t.c, inflated']));
  } finally {
    rmSync(dir, { recursive: true });
  }
});
