import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { putIntoPlace } from '../../atomic-write';
import { ConfigError } from '../../config-error';
import { storeFormat } from '../../store-format';
import { RecorderError } from '../recorder/recorder-error';
import { copyDatabase } from '../recorder/sqlite/copy-database';
import { lockDataDir } from '../recorder/sqlite/data-dir-lock';
import { loadFormat } from '../recorder/sqlite/load-schema';
import { assertUndamaged } from '../recorder/sqlite/open-database';
import { formatOfRecording } from '../recorder/version-1/convert';
import { copyBytes, tarEnd, tarHeader, tarPadding } from './tar';

/**
 * The databases of a data directory. The log is copied last: the state refers to positions of the log, so that it must not be
 * newer.
 */
export const databases = [
  { name: 'state.sqlite', formatOf: () => storeFormat },
  { name: 'load.sqlite', formatOf: () => loadFormat },
  { name: 'recording.sqlite', formatOf: formatOfRecording },
] as const;
export const keyFile = 'redaction.key';
export const manifestName = 'manifest.json';

/** It is the last file of a backup, so that a backup that has it is complete. */
export const manifestSchema = z.object({
  version: z.literal(1),
  createdAt: z.number(),
  files: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })),
});
type Manifest = z.infer<typeof manifestSchema>;

interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  readonly at: number;
}

/**
 * Writes a copy of the databases and of the redaction key, each as of one moment, to one tar file, while another process may record
 * into them. The file has its name once it is complete. Returns what it contains. Throws ConfigError and RecorderError.
 */
export async function writeBackup({ dataDir, file, at }: BackupOptions): Promise<Manifest> {
  if (!existsSync(path.join(dataDir, 'recording.sqlite')))
    throw new ConfigError(
      `backup: expected a data directory with a recording, got ${JSON.stringify(dataDir)}`,
    );
  const lock = lockUnlessUsed(dataDir);
  const next = `${file}.new`;
  const copy = `${file}.copy`;
  try {
    rmSync(copy, { force: true });
    const target = await open(next, 'w', 0o600).catch((cause: unknown) => {
      throw new ConfigError(`backup: expected a file that can be written, got: ${messageOf(cause)}`);
    });
    try {
      const files: Manifest['files'] = [];
      for (const { name, formatOf } of databases) {
        const from = path.join(dataDir, name);
        if (!existsSync(from)) continue;
        // A process that has it open has checked it.
        if (lock !== undefined) assertUndamaged(from, formatOf(from));
        copyDatabase(from, copy);
        files.push(await append(target, name, copy, at));
        rmSync(copy);
      }
      files.push(await append(target, keyFile, path.join(dataDir, keyFile), at));
      const manifest: Manifest = { version: 1, createdAt: at, files };
      const json = Buffer.from(JSON.stringify(manifest, null, 2));
      await target.writeFile(tarHeader({ name: manifestName, bytes: json.length }, at));
      await target.writeFile(Buffer.concat([json, tarPadding(json.length), tarEnd]));
      await target.sync();
      putIntoPlace(next, file);
      return manifest;
    } finally {
      await target.close();
    }
  } finally {
    rmSync(copy, { force: true });
    rmSync(next, { force: true });
    lock?.release();
  }
}

/** Returns undefined if another process has the directory open. */
function lockUnlessUsed(dataDir: string): { release(): void } | undefined {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof RecorderError && error.code === 'DATA_DIR_IN_USE') return undefined;
    throw error;
  }
}

async function append(
  target: FileHandle,
  name: string,
  from: string,
  at: number,
): Promise<Manifest['files'][number]> {
  const source = await open(from, 'r');
  try {
    const { size: bytes } = await source.stat();
    await target.writeFile(tarHeader({ name, bytes }, at));
    const sha256 = await copyBytes(source, target, bytes);
    await target.writeFile(tarPadding(bytes));
    return { name, bytes, sha256 };
  } finally {
    await source.close();
  }
}
