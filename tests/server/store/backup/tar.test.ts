import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseTarHeader, tarEnd, tarHeader, tarPadding } from '@/server/store/backup/tar';
import { tempDataDir } from '../../../support/recorder-temp-dir';

describe('a tar file', () => {
  it('is read by tar', () => {
    const dir = tempDataDir();
    const content = Buffer.from('content of a file');
    const parts = [tarHeader({ name: 'a.txt', bytes: content.length }, 1_767_225_600_000), content];
    writeFileSync(path.join(dir, 'x.tar'), Buffer.concat([...parts, tarPadding(content.length), tarEnd]));
    const { status, stderr } = spawnSync('tar', ['-xf', 'x.tar'], { cwd: dir, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(readFileSync(path.join(dir, 'a.txt'))).toEqual(content);
  });

  it.each([0, 1, 512, 8 * 1024 ** 3 - 1, 8 * 1024 ** 3, 5e12])('states a size of %d bytes', (bytes) => {
    const entry = { name: 'recording.sqlite', bytes };
    expect(parseTarHeader(tarHeader(entry, 0))).toEqual(entry);
  });

  it('is rejected with the expected and the actual value', () => {
    const header = tarHeader({ name: 'a', bytes: 1 }, 0);
    expect(() => parseTarHeader(header.subarray(0, 100))).toThrow('expected a header of 512 bytes, got 100');
    header[0] = 0x62;
    expect(() => parseTarHeader(header)).toThrow(/expected a header with the checksum \d+, got \d+/);
    expect(parseTarHeader(Buffer.alloc(512))).toBeUndefined();
  });
});
