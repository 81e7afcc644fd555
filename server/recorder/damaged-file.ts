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
export function otherVersion(file: string, expected: number, got: number): RecorderError {
  const reason = `expected schema version ${expected}, got ${got}`;
  const remedy = `use the xdscope that wrote it, or another data dir, or ${setAside}`;
  return new RecorderError(damagedCode, `${file}: ${reason}: another xdscope wrote it; ${remedy}`, reason);
}

/** Returns whether the error is about a file that this program cannot read and may set aside. */
export function isDamaged(error: unknown): error is RecorderError {
  return error instanceof RecorderError && error.code === damagedCode;
}

/**
 * Runs code that reads or writes a database, and throws damagedFile() if the file's content causes its failure. Other
 * failures (a full disk, a locked or missing file) are thrown as they are.
 */
export function withDamageNamed<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw damagedFile(file, describe(error), error);
  }
}

export function parseStored(file: string, json: string): unknown {
  return withDamageNamed(file, () => JSON.parse(json));
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
