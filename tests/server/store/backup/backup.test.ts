import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { oldStateFiles } from '@/server/compose/convert-state-files';
import { openStorage } from '@/server/compose/open-storage';
import { readConfig } from '@/server/config/read-config';
import { ConfigError } from '@/server/config-error';
import { systemClock } from '@/server/observe';
import { projectRoot } from '@/server/project-root';
import { writeBackup } from '@/server/store/backup/backup';
import { finishRestore, restoreBackup } from '@/server/store/backup/restore';
import { bodyOf, emissionOf } from '../../../support/builders/recorder-emissions';
import { tempDataDir } from '../../../support/recorder-temp-dir';

function open(dataDir: string) {
  const argv = ['--no-lab', '--data-dir', dataDir];
  const config = readConfig({ argv, env: {}, cwd: dataDir, version: '0' });
  return openStorage(config, systemClock, () => undefined);
}

/** Records one observation, with a permalink to it, and names the directory in each of its files. */
async function write(dataDir: string, name: string, count = 1): Promise<void> {
  const { recorder, state, close } = await open(dataDir);
  const body = bodyOf(`payload of ${name}`);
  for (let n = 0; n < count; n++) recorder.append({ ...emissionOf(1_000 + n, null), bodies: [body] });
  await recorder.flushed();
  await state.put('name', name);
  await close();
}

/**
 * Copies a directory at rest. Another process reads it: libsql closes a database when its statements are collected, and
 * to close a file ends the locks that this process has on it.
 */
function copyDirectory(from: string, to: string): void {
  expect(spawnSync('cp', ['-r', `${from}/.`, to]).status).toBe(0);
  for (const name of readdirSync(to)) if (/-(?:wal|shm)$/.test(name)) rmSync(path.join(to, name));
}

/** What the files of a directory say: its name, the number of observations, and the key. */
async function read(dataDir: string) {
  const { recorder, state, redactionKey, close } = await open(dataDir);
  const name = (await state.get('name', z.string()))?.value;
  const { observations } = recorder.stats();
  await close();
  return { name, observations, key: Buffer.from(redactionKey).toString('hex') };
}

const restore = (dataDir: string, file: string) =>
  restoreBackup({ dataDir, file, at: 1_767_225_600_000, oldFiles: oldStateFiles });

describe('a backup', () => {
  it('is a copy while xdscope runs, and comes back with log, state and key', async () => {
    const dataDir = tempDataDir();
    await write(dataDir, 'a', 5);
    const { recorder, state, close } = await open(dataDir);
    // They are in write-ahead logs.
    recorder.append({ ...emissionOf(9_000, null), bodies: [] });
    await recorder.flushed();
    await state.put('name', 'running');
    const file = path.join(tempDataDir(), 'backup.tar');
    const { files } = await writeBackup({ dataDir, file, at: 1 });
    expect(files.map(({ name }) => name)).toEqual([
      ...['state.sqlite', 'load.sqlite', 'recording.sqlite', 'redaction.key'],
    ]);
    // It records on.
    await state.put('name', 'later');
    recorder.append({ ...emissionOf(9_001, null), bodies: [] });
    await close();
    expect(readdirSync(path.dirname(file))).toEqual(['backup.tar']);

    const fresh = path.join(tempDataDir(), 'data');
    expect(await restore(fresh, file)).toBeUndefined();
    const { key } = await read(dataDir);
    expect(await read(fresh)).toEqual({ name: 'running', observations: 6, key });
  });

  it('is made of a directory that is at rest, which is locked meanwhile', async () => {
    const dataDir = tempDataDir();
    await write(dataDir, 'a');
    const file = path.join(tempDataDir(), 'backup.tar');
    await writeBackup({ dataDir, file, at: 1 });
    await write(dataDir, 'b');
    const aside = await restore(dataDir, file);
    expect(aside).toBe('before-restore-20260101T000000Z');
    expect((await read(dataDir)).name).toBe('a');
    // The former files are still there.
    expect((await read(path.join(dataDir, aside ?? ''))).name).toBe('b');
  });

  it('needs a recording, and a file that can be written', async () => {
    const dataDir = tempDataDir();
    await expect(writeBackup({ dataDir, file: path.join(dataDir, 'x'), at: 1 })).rejects.toThrow(
      'backup: expected a data directory with a recording, got',
    );
    await write(dataDir, 'a');
    const nowhere = path.join(dataDir, 'absent', 'x.tar');
    await expect(writeBackup({ dataDir, file: nowhere, at: 1 })).rejects.toThrow(
      /^backup: expected a file that can be written, got: ENOENT/,
    );
  });

  it('is not restored into a directory that is in use', async () => {
    const dataDir = tempDataDir();
    await write(dataDir, 'a');
    const file = path.join(tempDataDir(), 'backup.tar');
    await writeBackup({ dataDir, file, at: 1 });
    const { close } = await open(dataDir);
    await expect(restore(dataDir, file)).rejects.toThrow('is in use by another xdscope');
    await close();
  });

  it('that is not whole changes nothing, and the reason is stated', async () => {
    const dataDir = tempDataDir();
    await write(dataDir, 'a');
    const whole = path.join(tempDataDir(), 'backup.tar');
    await writeBackup({ dataDir, file: whole, at: 1 });
    await write(dataDir, 'b');
    const broken = path.join(tempDataDir(), 'broken.tar');
    const tryWith = async (change: (file: string) => void): Promise<string> => {
      cpSync(whole, broken);
      change(broken);
      const error = await restore(dataDir, broken).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).message;
    };
    const { length } = readFileSync(whole);
    for (const part of [0, 100, 0.3, 0.6, 0.9]) {
      const bytes = part < 1 ? Math.floor(length * part) : part;
      expect(await tryWith((file) => truncateSync(file, bytes))).toMatch(
        /^restore: expected a backup of xdscope, got ".*broken\.tar": expected /,
      );
    }
    const flip = (at: number) => (file: string) => {
      const bytes = readFileSync(file);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
    };
    expect(await tryWith(flip(5_000))).toContain('state.sqlite: expected the SHA-256');
    expect(await tryWith((file) => writeFileSync(file, readFileSync(file).fill('../x', 0, 12)))).toContain(
      'expected a header with the checksum',
    );
    expect(await tryWith((file) => writeFileSync(file, ''))).toContain(
      'expected a header of 512 bytes, got 0',
    );
    expect((await read(dataDir)).name).toBe('b');
  });

  it('that was unpacked replaces the directory, wherever that is interrupted', async () => {
    const former = tempDataDir();
    await write(former, 'a');
    const file = path.join(tempDataDir(), 'backup.tar');
    await writeBackup({ dataDir: former, file, at: 1 });
    await write(former, 'b', 3);
    writeFileSync(path.join(former, 'muted-issues.json'), '{"subjects":[]}');
    for (let moves = 0; ; moves++) {
      const dataDir = tempDataDir();
      copyDirectory(former, dataDir);
      // What a kill leaves beside the databases.
      for (const name of ['state.sqlite-wal', 'recording.sqlite-shm'])
        writeFileSync(path.join(dataDir, name), 'x');
      unpackInto(dataDir, file);
      let left = moves;
      let isWhole = true;
      const interrupted = (): void =>
        finishRestore(dataDir, oldStateFiles, (from, to) => {
          if (left-- === 0) {
            isWhole = false;
            throw new Error('killed');
          }
          cpSync(from, to);
          rmSync(from);
        });
      try {
        interrupted();
      } catch (error) {
        expect(String(error)).toContain('killed');
      }
      expect(await read(dataDir)).toMatchObject({ name: 'a', observations: 1 });
      const aside = path.join(dataDir, 'before-restore-20260101T000000Z');
      expect(readdirSync(aside)).toEqual(
        expect.arrayContaining(['muted-issues.json', 'recording.sqlite', 'state.sqlite', 'state.sqlite-wal']),
      );
      if (isWhole) {
        expect(moves).toBeGreaterThan(9);
        break;
      }
    }
  });
});

/** Does what restoreBackup() does until the backup is unpacked. */
function unpackInto(dataDir: string, file: string): void {
  mkdirSync(path.join(dataDir, 'restoring'));
  const tar = readFileSync(file);
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar
      .subarray(at, at + 100)
      .toString('utf8')
      .replaceAll('\0', '');
    const bytes = Number.parseInt(tar.subarray(at + 124, at + 135).toString('utf8'), 8);
    if (name !== 'manifest.json')
      writeFileSync(path.join(dataDir, 'restoring', name), tar.subarray(at + 512, at + 512 + bytes));
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
  writeFileSync(
    path.join(dataDir, 'restore-ready.json'),
    JSON.stringify({ aside: 'before-restore-20260101T000000Z' }),
  );
}

describe('npm start -- backup and restore', () => {
  const runs = (...words: string[]) =>
    spawn(process.execPath, [path.join(projectRoot, '.build/main.mjs'), ...words], {
      env: { ...process.env, NODE_ENV: 'production' },
      detached: true,
    });
  /** Kills the process with the processes that check databases. */
  const killAfter = (child: ReturnType<typeof runs>, ms: number) =>
    setTimeout(() => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, ms);

  it('leave a whole backup or none, and the former directory or the new one, when they are killed', async () => {
    const dataDir = tempDataDir();
    await write(dataDir, 'a', 2_000);
    const file = path.join(tempDataDir(), 'backup.tar');
    const whole = runs('backup', file, '--data-dir', dataDir);
    const startedAt = performance.now();
    const [code] = await once(whole, 'exit');
    const tookMs = performance.now() - startedAt;
    expect(code).toBe(0);
    await write(dataDir, 'b');
    for (const part of [0.3, 0.5, 0.7, 0.9]) {
      const again = path.join(tempDataDir(), 'backup.tar');
      const backup = runs('backup', again, '--data-dir', dataDir);
      const timer = killAfter(backup, tookMs * part);
      await once(backup, 'exit');
      clearTimeout(timer);
      if (existsSync(again)) {
        const target = path.join(tempDataDir(), 'data');
        await restore(target, again);
        expect((await read(target)).name).toBe('b');
      }

      const target = tempDataDir();
      copyDirectory(dataDir, target);
      const restored = runs('restore', file, '--data-dir', target);
      const killing = killAfter(restored, tookMs * part);
      await once(restored, 'exit');
      clearTimeout(killing);
      const { name, observations } = await read(target);
      expect([`a 2000`, `b 2001`]).toContain(`${name} ${observations}`);
    }
  });

  it('state what they need', async () => {
    const failing = runs('restore', '--data-dir', tempDataDir());
    let errors = '';
    failing.stderr.on('data', (part) => (errors += part));
    const [code] = await once(failing, 'close');
    expect([code, errors]).toEqual([2, 'xdscope: restore: expected the file of the backup, got none\n']);
  });
});
