import { findResourceType, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';

/** A value of a JSON-like document, which is scanned without being parsed as a whole. */
export interface DocumentView {
  readonly kind: 'object' | 'list' | 'other';
  /** Members of an object, in order; empty for other kinds. Throws a ScanError where the text is malformed. */
  members(): Iterable<readonly [key: string, value: DocumentView]>;
  /** Elements of a list, in order; empty for other kinds. Throws a ScanError where the text is malformed. */
  items(): Iterable<readonly [index: number, item: DocumentView]>;
  /** Parses the value; integers beyond 2^53 are bigint. Throws an Error with the reason if it is malformed. */
  value(): unknown;
  /** Byte of the document at which the value begins, if known. */
  readonly offset: number | undefined;
  /** Size in bytes, 0 if unknown. May scan for the end of the value. */
  size(): number;
}

/** The text is malformed from `offset` (a byte of the document) on. */
export class ScanError extends Error {
  override readonly name = 'ScanError';

  constructor(
    readonly offset: number,
    reason: string,
    /** The document ends at `offset`, before what it began. */
    readonly isTruncated = false,
  ) {
    super(`${reason} at byte ${offset}`);
  }
}

export function isResource(type: string): boolean {
  if (type === '') return false;
  return (
    findResourceType(readTypeUrl(normaliseTypeUrl(type)).typeUrl) !== undefined || /\.Resource$/.test(type)
  );
}

/** Only the first member is read, because other members cannot be found without scanning the object. */
export function firstType(view: DocumentView): string {
  for (const [key, value] of view.members()) return key === '@type' ? textOf(value) : '';
  return '';
}

export function textOf(view: DocumentView): string {
  if (view.kind !== 'other') return '';
  const value = view.value();
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
