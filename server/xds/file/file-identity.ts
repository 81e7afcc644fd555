import { lstat, realpath, stat } from 'node:fs/promises';

/** Identifies the file at a path, and its content by time and size. */
export interface FileIdentity {
  /** The path with all links resolved. */
  readonly realPath: string;
  readonly device: bigint;
  readonly inode: bigint;
  /** Distinguishes files that reuse the number of an inode. */
  readonly birthtimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly sizeBytes: bigint;
}

/** Resolves to undefined if there is no file. Without `followLinks`, a change of a link's target is not noticed. */
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

export function isReplaced(before: FileIdentity, now: FileIdentity): boolean {
  return (
    before.realPath !== now.realPath ||
    before.device !== now.device ||
    before.inode !== now.inode ||
    before.birthtimeNs !== now.birthtimeNs
  );
}

export function isUntouched(before: FileIdentity, now: FileIdentity): boolean {
  return !isReplaced(before, now) && before.mtimeNs === now.mtimeNs && before.sizeBytes === now.sizeBytes;
}

function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
