import { lstat, realpath, stat } from 'node:fs/promises';

/** Which file is in a place. */
export interface FileIdentity {
  /** All links followed. */
  readonly realPath: string;
  readonly device: bigint;
  readonly inode: bigint;
  /** When the file was made: an inode's number is used again. */
  readonly birthtimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly sizeBytes: bigint;
}

/**
 * undefined when nothing is there. With `followLinks` it is the file that is read; without, a link in its place stands
 * for itself, so that what it leads to may change without notice.
 */
export async function identifyFile(file: string, followLinks: boolean): Promise<FileIdentity | undefined> {
  try {
    const [realPath, found] = await Promise.all([
      followLinks ? realpath(file) : file,
      (followLinks ? stat : lstat)(file, { bigint: true }),
    ]);
    const { dev: device, ino: inode, birthtimeNs, mtimeNs, size: sizeBytes } = found;
    return { realPath, device, inode, birthtimeNs, mtimeNs, sizeBytes };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Another file was put there. */
export function isReplaced(before: FileIdentity, now: FileIdentity): boolean {
  return (
    before.realPath !== now.realPath ||
    before.device !== now.device ||
    before.inode !== now.inode ||
    before.birthtimeNs !== now.birthtimeNs
  );
}

/** The same file, and nobody wrote to it. */
export function isUntouched(before: FileIdentity, now: FileIdentity): boolean {
  return !isReplaced(before, now) && before.mtimeNs === now.mtimeNs && before.sizeBytes === now.sizeBytes;
}

function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
