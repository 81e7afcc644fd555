import type { ProblemList } from './problem-list';

/** The file is of no kind that can be imported. */
export class UnknownFile extends Error {
  override readonly name = 'UnknownFile';

  constructor(
    reason: string,
    readonly problems: ProblemList,
  ) {
    super(reason);
  }
}

/** A file with the same bytes was imported before. */
export class AlreadyImported extends Error {
  override readonly name = 'AlreadyImported';

  constructor(
    readonly importId: string,
    label: string,
  ) {
    super(`expected a file that was not imported yet, got one with the same SHA-256 as "${label}"`);
  }
}

/** The user canceled the import. */
export class ImportCanceled extends Error {
  override readonly name = 'ImportCanceled';
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}
