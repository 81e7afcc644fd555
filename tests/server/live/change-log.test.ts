import { expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { ChangeLog } from '@/server/live/change-log';

const key = (name: string, typeUrl = CDS.typeUrl) => ({ typeUrl, name });
const keys = (count: number) => Array.from({ length: count }, (_, index) => key(`c${index}`));

test('the keys of all changes after a revision are found, each once', () => {
  const log = new ChangeLog(1);
  log.add(2, [key('a')]);
  log.add(3, [key('b'), key('a')]);
  log.add(4, [key('a', EDS.typeUrl)]);
  expect(log.findSince(1)).toHaveLength(3);
  expect(log.findSince(3)).toEqual([key('a', EDS.typeUrl)]);
  expect(log.findSince(4)).toEqual([]);
});

test('nothing is found for a revision before the log', () => {
  expect(new ChangeLog(5).findSince(4)).toBeUndefined();
});

test('beyond 5,000 keys the oldest changes are dropped, and the log begins later', () => {
  const log = new ChangeLog(0);
  log.add(1, keys(10));
  log.add(2, keys(4_990));
  expect(log.findSince(0)).toHaveLength(4_990);
  log.add(3, [key('a')]);
  expect(log.findSince(0)).toBeUndefined();
  expect(log.findSince(1)).toHaveLength(4_991);
});

test('the log begins after a change of more than 5,000 keys', () => {
  const log = new ChangeLog(0);
  log.add(1, keys(5_001));
  expect(log.findSince(0)).toBeUndefined();
  expect(log.findSince(1)).toEqual([]);
});
