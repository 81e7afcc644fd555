import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { acceptFiles, findChangedFiles, writeCheckedFile } from '@/server/checked-files';
import { readRedactionKey } from '@/server/redaction-key';
import { tempDataDir } from '../support/recorder-temp-dir';

const names = ['redaction.key', 'sources.json', 'imports.json', 'removed-sources.json'];

/** A data directory in which xdscope wrote all files. */
function writtenDir(): string {
  const dir = tempDataDir();
  readRedactionKey(dir);
  for (const name of names.slice(1)) writeCheckedFile(path.join(dir, name), '{"first":1}');
  for (const name of names.slice(1)) writeCheckedFile(path.join(dir, name), '{"second":2}');
  return dir;
}

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[5] = (bytes[5] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

describe('files that may change only by xdscope', () => {
  it('are not reported while only xdscope writes them, or if it did not write them yet', () => {
    expect(findChangedFiles(writtenDir())).toEqual([]);
    const earlier = tempDataDir();
    writeFileSync(path.join(earlier, 'sources.json'), '{}');
    expect(findChangedFiles(earlier)).toEqual([]);
  });

  it.each(names)('are reported when a bit of them changed: %s', (name) => {
    const dir = writtenDir();
    flip(path.join(dir, name));
    expect(findChangedFiles(dir)).toEqual([
      expect.stringMatching(
        new RegExp(`/${name} was changed since xdscope wrote it, so .*: put back a copy`),
      ),
    ]);
  });

  it.each(names)('are reported when they were emptied or removed: %s', (name) => {
    const dir = writtenDir();
    writeFileSync(path.join(dir, name), '');
    expect(findChangedFiles(dir)).toEqual([expect.stringContaining(`/${name} was changed since`)]);
    rmSync(path.join(dir, name));
    expect(findChangedFiles(dir)).toEqual([expect.stringContaining(`/${name} was removed since`)]);
  });

  it('are expected as they are after they were accepted', () => {
    const dir = writtenDir();
    flip(path.join(dir, 'sources.json'));
    rmSync(path.join(dir, 'imports.json'));
    acceptFiles(dir);
    expect(findChangedFiles(dir)).toEqual([]);
  });

  it('have either content after a process that ended while it wrote them', () => {
    const dir = writtenDir();
    const file = path.join(dir, 'sources.json');
    const before = readFileSync(file);
    // A folder at the path of the file makes the write fail after the checksums were written.
    rmSync(file);
    mkdirSync(file);
    expect(() => writeCheckedFile(file, '{"third":3}')).toThrow(file);
    rmSync(file, { recursive: true });
    writeFileSync(file, '{"third":3}');
    expect(findChangedFiles(dir)).toEqual([]);
    writeFileSync(file, before);
    expect(findChangedFiles(dir)).toEqual([]);
  });

  it('are reported as not checked if the checksums are damaged', () => {
    const dir = writtenDir();
    writeFileSync(path.join(dir, 'checksums.json'), '{"');
    expect(findChangedFiles(dir)).toEqual([
      expect.stringMatching(/checksums\.json is damaged, so changes of/),
    ]);
    acceptFiles(dir);
    expect(findChangedFiles(dir)).toEqual([]);
  });
});
