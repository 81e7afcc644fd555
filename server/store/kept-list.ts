import * as z from 'zod';
import type { StateChange, StateStore } from './state';

export interface ListEntry<Head, Line> {
  readonly key: string;
  readonly head: z.ZodType<Head>;
  readonly line: z.ZodType<Line>;
}

const linesPerRow = 250;

/**
 * A long list in the state, and a head that belongs to it: the rows "KEY/000000", "KEY/000001" ... have some lines each, so that damage
 * of one loses no other. The list is always replaced as a whole.
 */
export class KeptList<Head, Line> {
  readonly #store: StateStore;
  readonly #entry: ListEntry<Head, Line>;
  #rows = 0;

  constructor(store: StateStore, entry: ListEntry<Head, Line>) {
    this.#store = store;
    this.#entry = entry;
  }

  /** Resolves to undefined if there is none, or if its head is damaged. */
  async read(): Promise<{ readonly head: Head; readonly lines: readonly Line[] } | undefined> {
    const { key, head, line } = this.#entry;
    const rows = await this.#store.list(`${key}/`, z.array(line));
    this.#rows = 1 + Math.max(-1, ...rows.map((row) => Number(row.key)));
    const kept = await this.#store.get(key, head);
    return kept && { head: kept.value, lines: rows.flatMap(({ value }) => value) };
  }

  /** Precondition: read() was called. `lines` is read while other work runs, and must not change until this resolves. */
  async write(head: Head, lines: Iterable<Line>): Promise<void> {
    let rows = 0;
    await this.#store.write(
      listChanges(this.#entry.key, head, lines, this.#rows, (count) => {
        rows = count;
      }),
    );
    this.#rows = rows;
  }
}

/** The changes that replace a list of `rows` rows. */
export function* listChanges(
  key: string,
  head: unknown,
  lines: Iterable<unknown>,
  rows = 0,
  counted: (rows: number) => void = () => undefined,
): Generator<StateChange> {
  const keyOf = (row: number): string => `${key}/${String(row).padStart(6, '0')}`;
  yield { key, value: head };
  let row = 0;
  let gathered: unknown[] = [];
  for (const line of lines) {
    if (gathered.push(line) < linesPerRow) continue;
    yield { key: keyOf(row++), value: gathered };
    gathered = [];
  }
  if (gathered.length > 0) yield { key: keyOf(row++), value: gathered };
  counted(row);
  for (; row < rows; row++) yield { key: keyOf(row), value: undefined };
}
