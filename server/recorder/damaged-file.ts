import { errorCodeOf, RecorderError } from './recorder-error';

export const damagedCode = 'DAMAGED';

/** For a file of the data dir whose content cannot be read as it was written: names it, the reason and the remedy. */
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

/** For a file whose format has another version than this program reads; it can be set aside as a damaged one. */
export function otherVersion(file: string, expected: number, got: number): RecorderError {
  const reason = `expected schema version ${expected}, got ${got}`;
  const remedy = `use the xdscope that wrote it, or another data dir, or ${setAside}`;
  return new RecorderError(damagedCode, `${file}: ${reason}: another xdscope wrote it; ${remedy}`, reason);
}

/** Cannot be read by this program, and may be set aside. */
export function isDamaged(error: unknown): error is RecorderError {
  return error instanceof RecorderError && error.code === damagedCode;
}

/**
 * Runs what reads or writes a database, and throws damagedFile() where its content is the reason of the failure. What the
 * content cannot be the reason of (a full disk, a locked or missing file) is thrown as it is.
 */
export function withDamageNamed<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw damagedFile(file, describe(error), error);
  }
}

/** JSON as it was stored in `file`. */
export function parseStored(file: string, json: string): unknown {
  return withDamageNamed(file, () => JSON.parse(json));
}

/** SQLite found it, zlib did, a reader found something else than what its writer writes, or text is no JSON. */
function isDamage(error: unknown): boolean {
  if (error instanceof RecorderError) return error.code === undecodableCode;
  if (error instanceof SyntaxError || error instanceof RangeError) return true;
  return /^(?:SQLITE_CORRUPT|SQLITE_NOTADB|Z_)/.test(errorCodeOf(error));
}

const undecodableCode = 'UNDECODABLE';

/** What a reader of stored bytes throws when they are not as its writer writes them. */
export function undecodable(message: string): RecorderError {
  return new RecorderError(undecodableCode, message);
}

export function describe(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
  const code = errorCodeOf(error);
  return code === 'UNKNOWN' || code === undecodableCode ? message : `${message} (${code})`;
}
