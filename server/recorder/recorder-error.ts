/** What the recorder could not do. `code` is SQLite's where SQLite rejected (SQLITE_FULL), else a word of ours. */
export class RecorderError extends Error {
  override readonly name = 'RecorderError';
  readonly code: string;
  /** The message as SQLite or Node gave it. */
  readonly rawMessage: string;

  constructor(code: string, message: string, rawMessage: string = message, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.rawMessage = rawMessage;
  }
}

/** Drivers put a string in `code`; some of libsql's errors carry it empty. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code !== '') {
    return error.code;
  }
  return 'UNKNOWN';
}

/** The message of a failed write: what is wrong, and SQLite's error message. */
export function formatWriteFailure(code: string, rawMessage: string): string {
  if (!code.startsWith('SQLITE_') && code !== 'UNKNOWN') return rawMessage;
  const found = causes.find(([prefix]) => code.startsWith(prefix));
  return `${found ? found[1] : 'the recording cannot be written'} (${code}: ${rawMessage})`;
}

const causes: readonly (readonly [string, string])[] = [
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk rejects to write'],
  ['SQLITE_READONLY', 'the data dir is read-only'],
  ['SQLITE_CANTOPEN', 'the recording cannot be opened'],
  ['SQLITE_BUSY', 'another program holds the recording locked'],
];
