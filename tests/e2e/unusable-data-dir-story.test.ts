import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStorage } from '@/server/compose/open-storage';
import { readConfig } from '@/server/config/read-config';
import { ConfigError } from '@/server/config-error';
import { systemClock } from '@/server/observe';
import { RecorderError } from '@/server/store/recorder/recorder';
import { endOfServer } from '../support/e2e-server';
import { tempDataDir } from '../support/recorder-temp-dir';

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

interface Case {
  readonly what: string;
  /** Returns the data dir. */
  readonly prepare: (dir: string) => string;
  readonly expected: RegExp;
}

/** Permissions do not bind root. */
const asNobody = isRoot
  ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--inh-caps=-all']
  : [];

/** Opens the storage as a start does. */
async function openAsNobody(dataDir: string) {
  const argv = ['--no-lab', '--data-dir', dataDir];
  const config = readConfig({ argv, env: {}, cwd: path.dirname(dataDir), version: '0' });
  if (isRoot) process.seteuid?.(nobody);
  try {
    return await openStorage(config, systemClock, () => undefined);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
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
    expected: /--data-dir: expected a directory that can be written, got ".*data" \(EACCES: .*\)/,
  },
  {
    what: 'a data dir that cannot be made',
    prepare: (dir) => path.join(readOnly(path.join(dir, 'above')), 'data'),
    expected: /--data-dir: expected a directory that can be written, got ".*data" \(EACCES: .*\)/,
  },
  {
    what: 'a file in place of the data dir',
    prepare: (dir) => {
      writeFileSync(path.join(dir, 'data'), '');
      return path.join(dir, 'data');
    },
    expected: /--data-dir: expected a directory that can be written, got ".*data" \(EEXIST: .*\)/,
  },
  ...['recorder.lock', 'redaction.key', 'sources.json', 'imports.json'].map(foreign),
];

function foreign(name: string): Case {
  return {
    what: `a ${name} of somebody else`,
    prepare: (dir) => withForeign(dir, name),
    expected: new RegExp(`\\S+/data/${name.replace('.', '\\.')}: expected .*`),
  };
}

describe('a data dir that cannot be used', () => {
  it.each(cases)('is not opened, and one line states why: $what', async ({ prepare, expected }) => {
    const dir = tempDataDir();
    chmodSync(dir, 0o755);
    const error = await openAsNobody(prepare(dir)).catch((reason: unknown) => reason);
    // The start prints the messages of these errors alone.
    expect(error instanceof ConfigError || error instanceof RecorderError).toBe(true);
    expect(String((error as Error).message)).toMatch(new RegExp(`^${expected.source}$`));
  });

  // access(2), which checks databases, uses the real user of the process.
  it.each(['recording.sqlite', 'load.sqlite'].map(foreign))(
    'ends the start with one line and exit code 2: $what',
    async ({ prepare, expected }) => {
      const dir = tempDataDir();
      chmodSync(dir, 0o755);
      const { code, errors } = await endOfServer(['--no-lab', '--data-dir', prepare(dir)], asNobody);
      expect(errors).toMatch(new RegExp(`^xdscope: ${expected.source}\\n$`));
      expect(code).toBe(2);
    },
  );

  it.skipIf(!hasPrlimit)(
    'ends the start with one line and exit code 2: a full disk (needs prlimit)',
    async () => {
      const dataDir = path.join(tempDataDir(), 'data');
      const { code, errors } = await endOfServer(
        ['--no-lab', '--data-dir', dataDir],
        ['prlimit', '--fsize=0'],
      );
      expect(errors).toMatch(
        /^xdscope: --data-dir: expected a directory that can be written, got .* \(EFBIG: .*\)\n$/,
      );
      expect(code).toBe(2);
    },
  );

  it('is opened when only the folder above it is read-only', async () => {
    const dir = tempDataDir();
    mkdirSync(path.join(dir, 'data'));
    if (isRoot) chownSync(path.join(dir, 'data'), nobody, nobody);
    chmodSync(dir, 0o555);
    const storage = await openAsNobody(path.join(dir, 'data'));
    await storage.close();
    chmodSync(dir, 0o755);
  });
});
