import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomically } from '@/server/atomic-write';
import { bundleSupportProgram } from '../support/recorder-bundle';
import { tempDataDir } from '../support/recorder-temp-dir';

const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** The system calls on files of a folder, in their order, as in "fsync a.new"; the last one of several equal ones counts. */
function tracedCalls(trace: string, dir: string): string[] {
  const names = new Map<string, string>();
  const calls: string[] = [];
  // A call that another thread interrupts is printed in two parts.
  const open = /open(?:at)?\([^"]*"([^"]+)".*= (\d+)$/;
  for (const line of trace.split('\n')) {
    const opened = open.exec(line);
    if (opened?.[1]?.startsWith(dir)) names.set(opened[2] ?? '', path.relative(dir, opened[1]) || '.');
    const synced = /fsync\((\d+)/.exec(line)?.[1];
    if (synced !== undefined && names.has(synced)) calls.push(`fsync ${names.get(synced)}`);
    const renamed = /rename\("([^"]+)"/.exec(line)?.[1];
    if (renamed?.startsWith(dir)) calls.push(`rename ${path.relative(dir, renamed)}`);
  }
  return calls;
}

describe('writeFileAtomically()', () => {
  it.skipIf(!hasStrace)('puts the content on the disk, then the name, then its folder (needs strace)', () => {
    const dir = tempDataDir();
    const program = bundleSupportProgram('whole-file-child');
    const [whole = '', trace = ''] = ['whole', 'trace'].map((name) => path.join(dir, name));
    const flags = ['-f', '-o', trace, '-e', 'trace=open,openat,fsync,rename'];
    const { status } = spawnSync('strace', [...flags, process.execPath, program, whole]);
    expect(status).toBe(0);
    expect(tracedCalls(readFileSync(trace, 'utf8'), dir)).toEqual([
      ...['fsync whole.new', 'rename whole.new', 'fsync .'],
    ]);
    expect(readFileSync(whole, 'utf8')).toBe('new');
  });

  it('leaves the former content, and nothing beside it, when the new one cannot be written', () => {
    const dir = tempDataDir();
    const file = path.join(dir, 'file');
    writeFileAtomically(file, 'former');
    mkdirSync(`${file}.new`);
    expect(() => writeFileAtomically(file, 'new')).toThrow(/EISDIR/);
    expect(readFileSync(file, 'utf8')).toBe('former');
    expect(readdirSync(dir).sort()).toEqual(['file', 'file.new']);
  });
});
