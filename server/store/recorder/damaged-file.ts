import { errorCodeOf, RecorderError } from './recorder-error';

export const damagedCode = 'DAMAGED';

/** Builds the error for a file of the data directory whose content cannot be decoded. */
export function damagedFile(file: string, reason: string, cause?: unknown): RecorderError {
  const text = reason.replace(/\s+/g, ' ');
  return new RecorderError(
    damagedCode,
    `${file} is damaged: ${text}; put back a copy, or ${setAside}`,
    text,
    cause,
  );
}

const setAside = 'start with --set-aside-damaged, which renames it and begins a new one';

/** Builds the error for a file of another format version. The file can be set aside like a damaged one. */
export function otherVersion(file: string, reason: string): RecorderError {
  const remedy = `use the xdscope that wrote it, or another data dir, or ${setAside}`;
  return new RecorderError(damagedCode, `${file}: ${reason}: another xdscope wrote it; ${remedy}`, reason);
}

/** Returns whether the error is about a file that this program cannot read and may set aside. */
export function isDamaged(error: unknown): error is RecorderError {
  return error instanceof RecorderError && error.code === damagedCode;
}

/**
 * Returns damagedFile() if the content of the database causes the error; another one (of a full disk, a locked or missing file) as
 * it is.
 */
export function damageOf(file: string, error: unknown): unknown {
  return isDamage(error) ? damagedFile(file, describe(error), error) : error;
}

/** Returns whether SQLite, zlib, JSON.parse() or a decoder rejected the bytes. */
function isDamage(error: unknown): boolean {
  if (error instanceof RecorderError) return error.code === undecodableCode;
  if (error instanceof SyntaxError || error instanceof RangeError) return true;
  return /^(?:SQLITE_CORRUPT|SQLITE_NOTADB|Z_)/.test(errorCodeOf(error));
}

const undecodableCode = 'UNDECODABLE';

/** Builds the error that decoders of stored bytes throw. */
export function undecodable(message: string): RecorderError {
  return new RecorderError(undecodableCode, message);
}

export function describe(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
  const code = errorCodeOf(error);
  return code === 'UNKNOWN' || code === undecodableCode ? message : `${message} (${code})`;
}
