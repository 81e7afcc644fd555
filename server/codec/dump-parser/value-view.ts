import type { DocumentView } from './document-view';

export class ValueView implements DocumentView {
  readonly #read: unknown;

  readonly kind: DocumentView['kind'];
  readonly offset = undefined;

  constructor(read: unknown) {
    this.#read = read;

    this.kind = Array.isArray(read) ? 'list' : typeof read === 'object' && read !== null ? 'object' : 'other';
  }

  *members(): Iterable<readonly [string, DocumentView]> {
    if (this.kind !== 'object' || typeof this.#read !== 'object' || this.#read === null) return;
    for (const [key, value] of Object.entries(this.#read)) yield [key, new ValueView(value)];
  }

  *items(): Iterable<readonly [index: number, item: DocumentView]> {
    if (!Array.isArray(this.#read)) return;
    for (const [index, item] of this.#read.entries()) yield [index, new ValueView(item)];
  }

  value(): unknown {
    return this.#read;
  }

  size(): number {
    return 0;
  }
}
