import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { endOfServer, startServer } from '../support/e2e-server';
import { tempDataDir } from '../support/recorder-temp-dir';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
/** Permissions do not bind root. */
const asNobody = isRoot
  ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--inh-caps=-all']
  : [];
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

interface Case {
  readonly what: string;
  /** Returns the data dir. */
  readonly prepare: (dir: string) => string;
  readonly under: readonly string[];
  readonly expected: RegExp;
}

/** A folder that nobody may write to, whoever runs the tests. */
function readOnly(folder: string): string {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o555);
  return folder;
}

/** A data dir that is nobody's, with one file that nobody cannot open. */
function withForeign(dir: string, name: string): string {
  const dataDir = path.join(dir, 'data');
  mkdirSync(dataDir);
  writeFileSync(path.join(dataDir, name), 'x');
  chmodSync(path.join(dataDir, name), 0);
  if (isRoot) chownSync(dataDir, nobody, nobody);
  return dataDir;
}

const cases: readonly Case[] = [
  {
    what: 'a read-only data dir',
    prepare: (dir) => readOnly(path.join(dir, 'data')),
    under: asNobody,
    expected: /--data-dir: expected a directory that can be written, got ".*data" \(EACCES: .*\)/,
  },
  {
    what: 'a data dir that cannot be made',
    prepare: (dir) => path.join(readOnly(path.join(dir, 'above')), 'data'),
    under: asNobody,
    expected: /--data-dir: expected a directory that can be written, got ".*data" \(EACCES: .*\)/,
  },
  {
    what: 'a file in place of the data dir',
    prepare: (dir) => {
      writeFileSync(path.join(dir, 'data'), '');
      return path.join(dir, 'data');
    },
    under: [],
    expected: /--data-dir: expected a directory that can be written, got ".*data" \(EEXIST: .*\)/,
  },
  ...[
    'recorder.lock',
    'recording.sqlite',
    'load.sqlite',
    'redaction.key',
    'sources.json',
    'imports.json',
  ].map((name) => ({
    what: `a ${name} of somebody else`,
    prepare: (dir: string) => withForeign(dir, name),
    under: asNobody,
    expected: new RegExp(`\\S+/data/${name.replace('.', '\\.')}: expected .*`),
  })),
];

describe('xdscope with a data dir that it cannot use', () => {
  it.each(cases)('ends with one line: $what', async ({ prepare, under, expected }) => {
    const dir = tempDataDir();
    chmodSync(dir, 0o755);
    const dataDir = prepare(dir);
    const { code, errors } = await endOfServer(['--no-lab', '--data-dir', dataDir], under);
    expect(errors).toMatch(new RegExp(`^xdscope: ${expected.source}\\n$`));
    expect(code).toBe(2);
  });

  it.skipIf(!hasPrlimit)('ends with one line: a full disk (needs prlimit)', async () => {
    const dataDir = path.join(tempDataDir(), 'data');
    const { code, errors } = await endOfServer(['--no-lab', '--data-dir', dataDir], ['prlimit', '--fsize=0']);
    expect(errors).toMatch(
      /^xdscope: --data-dir: expected a directory that can be written, got .* \(EFBIG: .*\)\n$/,
    );
    expect(code).toBe(2);
  });

  it('starts in a data dir whose folder above is read-only', async () => {
    const dir = tempDataDir();
    mkdirSync(path.join(dir, 'data'));
    if (isRoot) chownSync(path.join(dir, 'data'), nobody, nobody);
    chmodSync(dir, 0o555);
    const server = await startServer(['--no-lab', '--data-dir', path.join(dir, 'data')], asNobody);
    expect(await server.stop()).toBe(0);
    chmodSync(dir, 0o755);
  });
});
