import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteLog } from '@/server/recorder/sqlite/sqlite-log';
import { bodyOf } from '@/tests/support/builders/recorder-emissions';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

it('a body is kept up to the seq that names it, also if a transaction that named it before was rolled back', () => {
  const file = path.join(tempDataDir(), 'recording.sqlite');
  const { bodies, transaction, close } = openSqliteLog(file, false, (storage) => storage);
  const { hash } = bodyOf('a');
  expect(bodies.insert([{ ...bodyOf('a'), seq: 1 }])).toBe(1);
  const keepAndFail = () => {
    bodies.keep(hash, 50);
    throw new Error('disk full');
  };
  expect(() => transaction(keepAndFail)).toThrow('disk full');
  expect(bodies.findUnnamed(50, 10)).toHaveLength(1);
  bodies.keep(hash, 50);
  expect(bodies.findUnnamed(50, 10)).toEqual([]);
  close();
});
