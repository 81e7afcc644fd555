/** `code` is the code of SQLite (SQLITE_FULL) if SQLite failed, else one of the recorder's own. */
export class RecorderError extends Error {
  override readonly name = 'RecorderError';
  readonly code: string;
  /** The message of SQLite or Node. */
  readonly rawMessage: string;

  constructor(code: string, message: string, rawMessage: string = message, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.rawMessage = rawMessage;
  }
}

/** Returns UNKNOWN if there is no code; the code of some libsql errors is empty. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code !== '') {
    return error.code;
  }
  return 'UNKNOWN';
}

/** Explains a failed write, with SQLite's message. */
export function formatWriteFailure(code: string, rawMessage: string): string {
  if (!code.startsWith('SQLITE_') && code !== 'UNKNOWN') return rawMessage;
  const found = causes.find(([prefix]) => code.startsWith(prefix));
  return `${found ? found[1] : 'the recording cannot be written'} (${code}: ${rawMessage})`;
}

const causes: readonly (readonly [string, string])[] = [
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk rejects writes'],
  ['SQLITE_READONLY', 'the data dir is read-only'],
  ['SQLITE_CANTOPEN', 'the recording cannot be opened'],
  ['SQLITE_BUSY', 'another program holds the recording locked'],
];
