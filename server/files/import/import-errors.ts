import type { ProblemList } from './problem-list';

/** A file that is of none of the kinds that can be imported. */
export class UnknownFile extends Error {
  override readonly name = 'UnknownFile';

  constructor(
    reason: string,
    /** What was found in it. */
    readonly problems: ProblemList,
  ) {
    super(reason);
  }
}

/** Somebody wanted it no longer. */
export class ImportCanceled extends Error {
  override readonly name = 'ImportCanceled';
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}
