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

/** The user canceled the import. */
export class ImportCanceled extends Error {
  override readonly name = 'ImportCanceled';
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}
