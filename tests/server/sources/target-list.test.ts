import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import { FileTargetFinder } from '@/server/sources/target-list/file-target-finder';
import { DnsTargetFinder } from '@/server/sources/target-list/list-kind';
import { type TargetFinder, TargetList } from '@/server/sources/target-list/target-list';
import { waitUntil } from '../../support/wait-until';

function startList(
  finder: TargetFinder,
  taken: readonly string[] = [],
  clock: Clock = systemClock,
  isPaused = false,
) {
  const members = new Map<string, 'runs' | 'paused'>();
  let status: SourceStatus | undefined;
  const list = new TargetList({
    finder,
    clock,
    onStatus: (now) => {
      status = now;
    },
    members: {
      add: ({ target }) => {
        if (taken.includes(target)) return false;
        members.set(target, 'runs');
        return true;
      },
      remove: async (target) => void members.delete(target),
      setPaused: (target, paused) => members.set(target, paused ? 'paused' : 'runs'),
    },
  });
  onTestFinished(() => list.close());
  if (isPaused) list.pause();
  list.start();
  return { list, members, status: () => status };
}

function folderFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-targets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'targets.json');
}

const finderOf = (file: string) => new FileTargetFinder({ path: file, clock: systemClock, intervalMs: 50 });

describe('TargetList of a file', () => {
  test('starts a source for each target that appears, and ends that of each that disappears', async () => {
    const file = folderFile();
    writeFileSync(file, '["a:1", "b:2"]');
    const { members, status } = startList(finderOf(file));
    await waitUntil('the file is read', () => members.size === 2);
    writeFileSync(`${file}.new`, '["b:2", "c:3"]');
    renameSync(`${file}.new`, file);
    await waitUntil('the new file is read', () => members.has('c:3'));
    expect([...members.keys()].sort()).toEqual(['b:2', 'c:3']);
    expect(status()).toMatchObject({ state: 'up', problem: null });
  });

  test('keeps its targets while the file is invalid, with the problem', async () => {
    const file = folderFile();
    writeFileSync(file, '["a:1"]');
    const { members, status } = startList(finderOf(file));
    await waitUntil('the file is read', () => members.size === 1);
    writeFileSync(file, '["a:1"');
    await waitUntil('the list is down', () => status()?.state === 'down');
    expect(status()?.problem).toMatchObject({ code: 'BAD_FILE', message: expect.stringContaining(file) });
    expect([...members.keys()]).toEqual(['a:1']);
    writeFileSync(file, 'd:4\n');
    await waitUntil('the new file is read', () => members.has('d:4'));
    expect(status()).toMatchObject({ state: 'up', problem: null });
  });

  test('waits for a file that does not exist yet', async () => {
    const file = folderFile();
    const { members, status } = startList(finderOf(file));
    await waitUntil('the list is down', () => status()?.state === 'down');
    writeFileSync(file, 'a:1');
    await waitUntil('the file is read', () => members.size === 1);
  });

  test('does not change targets that are sources already, and counts them', async () => {
    const file = folderFile();
    writeFileSync(file, 'a:1\nb:2\n');
    const { members, status } = startList(finderOf(file), ['a:1']);
    await waitUntil('the targets are counted', () => status()?.notes.length === 1);
    expect([...members.keys()]).toEqual(['b:2']);
    expect(status()?.notes[0]).toContain('1 of the targets');
  });

  test('pauses and resumes its members', async () => {
    const file = folderFile();
    writeFileSync(file, 'a:1\n');
    const { list, members } = startList(finderOf(file));
    await waitUntil('the file is read', () => members.size === 1);
    list.pause();
    expect(members.get('a:1')).toBe('paused');
    list.resume();
    expect(members.get('a:1')).toBe('runs');
  });

  test('that is paused before its start looks for no targets until it is resumed', async () => {
    const file = folderFile();
    writeFileSync(file, 'a:1\n');
    const { list, members, status } = startList(finderOf(file), [], systemClock, true);
    expect(status()?.state).toBe('paused');
    list.resume();
    await waitUntil('the file is read', () => members.size === 1);
  });

  test('starts thousands in slices, so that the event loop serves others', async () => {
    const file = folderFile();
    writeFileSync(file, Array.from({ length: 5_000 }, (_, index) => `host-${index}:1`).join('\n'));
    let turns = 0;
    const clock: Clock = {
      ...systemClock,
      setTimeout: (callback, delayMs) => {
        if (delayMs === 0) turns++;
        return systemClock.setTimeout(callback, delayMs);
      },
    };
    const { members } = startList(finderOf(file), [], clock);
    await waitUntil('all have begun', () => members.size === 5_000);
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});

describe('TargetList of a DNS name', () => {
  test('polls every address of the name, and follows changes', async () => {
    let addresses: readonly string[] | Error = ['10.0.0.2', '10.0.0.1', '::1'];
    const finder = new DnsTargetFinder({
      target: { host: 'shop.example', port: 7, text: 'shop.example:7' },
      clock: systemClock,
      intervalMs: 10,
      resolve: async () => {
        if (addresses instanceof Error) throw addresses;
        return addresses;
      },
    });
    const { members, status } = startList(finder);
    await waitUntil('all addresses are asked', () => members.size === 3);
    expect([...members.keys()]).toEqual(['10.0.0.1:7', '10.0.0.2:7', '[::1]:7']);
    addresses = ['10.0.0.3'];
    await waitUntil('the new address is asked', () => members.has('10.0.0.3:7'));
    expect(members.size).toBe(1);
    addresses = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    await waitUntil('the list is down', () => status()?.state === 'down');
    expect(status()?.problem?.message).toBe('shop.example could not be resolved: ENOTFOUND');
    expect(members.size).toBe(1);
  });

  test('leaves out addresses that the dial policy rejects, with a note', async () => {
    const finder = new DnsTargetFinder({
      target: { host: 'shop.example', port: 7, text: 'shop.example:7' },
      clock: systemClock,
      resolve: async () => ['169.254.169.254', '10.0.0.1'],
    });
    const { members, status } = startList(finder);
    await waitUntil('the allowed address is asked', () => members.size > 0);
    expect([...members.keys()]).toEqual(['10.0.0.1:7']);
    expect(status()?.notes).toEqual([
      'shop.example at 169.254.169.254 is left out: addresses of metadata services (169.254.169.254/32) are rejected',
    ]);
  });

  test('resolves with the system’s resolver', async () => {
    const finder = new DnsTargetFinder({
      target: { host: 'localhost', port: 7, text: 'localhost:7' },
      clock: systemClock,
    });
    const { members } = startList(finder);
    await waitUntil('an address is asked', () => members.size > 0);
    expect([...members.keys()].some((target) => target === '127.0.0.1:7' || target === '[::1]:7')).toBe(true);
  });
});
