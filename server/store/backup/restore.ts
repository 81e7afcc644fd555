import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { makeFolder, makeFolderIn, syncFolder, writeFileAtomically } from '../../atomic-write';
import { ConfigError } from '../../config-error';
import { prepareDataDir } from '../../data-dir';
import { lockDataDir } from '../recorder/sqlite/data-dir-lock';
import { assertUndamaged } from '../recorder/sqlite/open-database';
import { databases, keyFile, manifestName, manifestSchema } from './backup';
import { copyBytes, parseTarHeader, readPiece, tarPadding } from './tar';

const databaseNames = databases.map(({ name }) => name);
const knownNames: readonly string[] = [...databaseNames, keyFile, manifestName];
/** A backup is unpacked into this folder of the data directory. */
const incoming = 'restoring';
/** Once this file exists, the files of `incoming` replace those of the directory, in this process or at the next start. */
const readyFile = 'restore-ready.json';
const ready = z.object({ aside: z.string().regex(/^before-restore-[\w]+$/) });
const mostManifestBytes = 100_000;

interface RestoreOptions {
  readonly dataDir: string;
  /** Files and folders that an earlier version left, which must not be beside the state of the backup. */
  readonly oldFiles: readonly string[];
  readonly file: string;
  readonly at: number;
}

/**
 * Replaces the content of a data directory by a backup. The former files are then in the folder "before-restore-TIME" of the
 * directory, whose name is returned; undefined if there were none. A process that is killed leaves the former directory or the new one:
 * a start finishes what was begun. Throws ConfigError and RecorderError.
 */
export async function restoreBackup({
  dataDir,
  oldFiles,
  file,
  at,
}: RestoreOptions): Promise<string | undefined> {
  prepareDataDir(dataDir);
  const lock = lockDataDir(dataDir);
  try {
    finishRestore(dataDir, oldFiles);
    const folder = path.join(dataDir, incoming);
    rmSync(folder, { recursive: true, force: true });
    makeFolderIn(folder);
    await unpack(file, folder);
    for (const { name, formatOf } of databases) {
      const unpacked = path.join(folder, name);
      assertUndamaged(unpacked, formatOf(unpacked));
    }
    syncFolder(folder);
    const aside = `before-restore-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}`;
    writeFileAtomically(path.join(dataDir, readyFile), JSON.stringify({ aside }));
    finishRestore(dataDir, oldFiles);
    return existsSync(path.join(dataDir, aside)) ? aside : undefined;
  } finally {
    lock.release();
  }
}

/**
 * Finishes a restore whose backup was unpacked whole. It can be interrupted at any time and called again. Precondition: the
 * directory is locked, and none of its databases is open.
 */
export function finishRestore(
  dataDir: string,
  oldFiles: readonly string[],
  move: (from: string, to: string) => void = renameSynced,
): void {
  const marker = path.join(dataDir, readyFile);
  if (!existsSync(marker)) return;
  const { aside } = ready.parse(JSON.parse(readFileSync(marker, 'utf8')));
  const from = path.join(dataDir, incoming);
  const setAside = (name: string): void => {
    if (!existsSync(path.join(dataDir, name))) return;
    makeFolder(path.join(dataDir, aside));
    move(path.join(dataDir, name), path.join(dataDir, aside, name));
  };
  // A write-ahead log, or a converted recording, must not be beside a database to which it does not belong.
  for (const name of databaseNames)
    for (const end of ['-wal', '-shm', '.converted']) setAside(`${name}${end}`);
  for (const name of oldFiles) setAside(name);
  for (const name of [...databaseNames, keyFile]) {
    const next = path.join(from, name);
    // It is in its place already.
    if (!existsSync(next)) continue;
    setAside(name);
    move(next, path.join(dataDir, name));
  }
  rmSync(from, { recursive: true, force: true });
  rmSync(marker);
  syncFolder(dataDir);
}

function renameSynced(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(path.dirname(from));
  syncFolder(path.dirname(to));
}

/** Throws ConfigError unless the file is a complete backup. */
async function unpack(file: string, folder: string): Promise<void> {
  const source = await open(file, 'r').catch((cause: unknown) => {
    throw new ConfigError(`restore: expected a file that can be read, got: ${messageOf(cause)}`);
  });
  try {
    const sums = new Map<string, string>();
    let manifest: z.infer<typeof manifestSchema> | undefined;
    for (;;) {
      const entry = parseTarHeader(await readPiece(source, 512));
      if (entry === undefined) break;
      const { name, bytes } = entry;
      if (!knownNames.includes(name) || sums.has(name) || manifest !== undefined)
        throw new Error(`expected ${knownNames.join(', ')}, each once, got ${JSON.stringify(name)}`);
      if (name === manifestName) {
        if (bytes > mostManifestBytes)
          throw new Error(`expected a manifest of at most ${mostManifestBytes} bytes, got ${bytes}`);
        manifest = manifestSchema.parse(JSON.parse((await readPiece(source, bytes)).toString('utf8')));
      } else {
        const target = await open(path.join(folder, name), 'wx', 0o600);
        try {
          sums.set(name, await copyBytes(source, target, bytes));
          await target.sync();
        } finally {
          await target.close();
        }
      }
      await readPiece(source, tarPadding(bytes).length);
    }
    if (manifest === undefined) throw new Error(`expected ${manifestName} at its end, got none`);
    const names = manifest.files.map(({ name }) => name).sort();
    if (names.join() !== [...sums.keys()].sort().join())
      throw new Error(`expected ${names.join(', ')}, got ${[...sums.keys()].join(', ')}`);
    for (const { name, sha256 } of manifest.files) {
      if (sums.get(name) !== sha256)
        throw new Error(`${name}: expected the SHA-256 ${sha256}, got ${sums.get(name)}`);
    }
    for (const name of ['recording.sqlite', keyFile])
      if (!sums.has(name)) throw new Error(`expected ${name} in it, got ${names.join(', ')}`);
  } catch (cause) {
    const reason = messageOf(cause).replace(/\s+/g, ' ').slice(0, 300);
    throw new ConfigError(`restore: expected a backup of xdscope, got ${JSON.stringify(file)}: ${reason}`);
  } finally {
    await source.close();
  }
}
