/** A value of a JSON-like document that is looked into without being read as a whole. */
export interface DocumentView {
  readonly kind: 'object' | 'list' | 'other';
  /** Members of an object, in order; none of anything else. Throws a ScanError where the text breaks. */
  members(): Iterable<readonly [key: string, value: DocumentView]>;
  /** Elements of a list, in order; none of anything else. Throws a ScanError where the text breaks. */
  items(): Iterable<DocumentView>;
  /** The whole of it as a value, integers beyond 2^53 as bigint. Throws an Error that says what is wrong with it. */
  value(): unknown;
  /** Byte in the document at which it begins; undefined: not known. */
  readonly offset: number | undefined;
  /** Bytes; 0: not known. May have to look for the end. */
  size(): number;
}

/** The text is no JSON from this byte on. */
export class ScanError extends Error {
  override readonly name = 'ScanError';

  constructor(
    readonly offset: number,
    reason: string,
  ) {
    super(`${reason} at byte ${offset}`);
  }
}
