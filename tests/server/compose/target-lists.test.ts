import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';

let dir: string;
let runtime: Runtime | undefined;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-lists-'));
});
afterEach(async () => {
  await runtime?.close();
  runtime = undefined;
  rmSync(dir, { recursive: true, force: true });
});

it.each([
  ['--csds', 'csds'],
  ['--istiod', 'istiod'],
  ['--envoy-admin', 'envoy-admin'],
])(
  '%s-file and %s-dns: each target that a list finds is a source of the kind',
  async (flag, kind) => {
    const file = path.join(dir, 'targets.txt');
    writeFileSync(file, '127.0.0.1:1\n127.0.0.1:2\n');
    const argv = ['--no-lab', '--data-dir', path.join(dir, 'data'), `${flag}-file`, file];
    argv.push(`${flag}-dns`, 'localhost:3');
    runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dir, version: '0' }), '0');
    const { api } = runtime;
    const membersOf = async (target: string) => {
      const list = `${kind}-list:${target}`;
      const { items } = await api.ask('sources', { list }, { params: {} });
      return items.map((source) => [source.kind, source.target, source.origin]).sort();
    };
    await expect
      .poll(() => membersOf(file))
      .toEqual([
        [kind, '127.0.0.1:1', 'list'],
        [kind, '127.0.0.1:2', 'list'],
      ]);
    await expect.poll(() => membersOf('localhost:3')).toContainEqual([kind, '127.0.0.1:3', 'list']);
    const { items } = await api.ask('sources', {}, { params: {} });
    expect(items.map((source) => [source.kind, source.members !== undefined])).toEqual([
      [`${kind}-list`, true],
      [`${kind}-list`, true],
    ]);
  },
  60_000,
);
