import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

const mostTables = 50;

/** The rows that had focus when the reader left their tables. Limited to the tables left last. */
export class RowsLeft {
  readonly #byTable = new Map<string, RowLeft>();

  keep(table: string, row: RowLeft): void {
    this.#byTable.delete(table);
    this.#byTable.set(table, row);
    const [oldest] = this.#byTable.keys();
    if (this.#byTable.size > mostTables && oldest !== undefined) this.#byTable.delete(oldest);
  }

  find(table: string): RowLeft | undefined {
    return this.#byTable.get(table);
  }
}

interface RowLeft {
  readonly id: string;
  readonly index: number;
}

/** They are kept as long as the document lives. */
const rowsLeft = new RowsLeft();

interface ReturnToRow {
  /** The table's accessible name. */
  readonly label: string;
  readonly rows: readonly { readonly id: string }[];
  readonly selectedId: string | null | undefined;
  readonly activeId: string | null;
  readonly activeIndex: number;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onReturn: (index: number) => void;
}

/** Restores focus after Back and after the inspector closes, unless another element has it. */
export function useReturnToRow(props: ReturnToRow): void {
  const { label, rows, selectedId, activeId, activeIndex, scroller, onReturn } = props;

  const hasReturned = useRef(false);
  useLayoutEffect(() => {
    if (hasReturned.current || rows.length === 0) return;
    hasReturned.current = true;
    // After Back no element has focus, while links and keys leave it on an element.
    const found = isFocusNowhere() ? rowsLeft.find(nameOf(label)) : undefined;
    if (found === undefined) return;
    const index = rows.findIndex(({ id }) => id === found.id);
    // A partly loaded list has the index of the row.
    if (index !== -1 || found.index < rows.length) onReturn(index === -1 ? found.index : index);
  });

  const selectedBefore = useRef(selectedId);
  useEffect(() => {
    const before = selectedBefore.current;
    selectedBefore.current = selectedId;
    if (before == null || selectedId != null || !isFocusNowhere()) return;
    const index = rows.findIndex(({ id }) => id === before);
    if (index !== -1) onReturn(index);
  });

  useEffect(() => {
    if (activeId === null || scroller.current?.contains(document.activeElement) !== true) return;
    rowsLeft.keep(nameOf(label), { id: activeId, index: activeIndex });
  }, [label, activeId, activeIndex, scroller]);
}

function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function nameOf(table: string): string {
  return `${table} ${location.pathname}${location.search}`;
}
