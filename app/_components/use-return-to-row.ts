import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

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
    const found = findRowLeft(label);
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
    rememberRow(label, { id: activeId, index: activeIndex });
  }, [label, activeId, activeIndex, scroller]);
}

interface RowLeft {
  readonly id: string;
  readonly index: number;
}

const mostKept = 50;
const left = new Map<string, RowLeft>();

/** Keyed by URL and table, as long as the document lives. */
function rememberRow(table: string, row: RowLeft): void {
  const name = nameOf(table);
  left.delete(name);
  left.set(name, row);
  const [oldest] = left.keys();
  if (left.size > mostKept && oldest !== undefined) left.delete(oldest);
}

/** After Back no element has focus, while links and keys leave it on an element. */
function findRowLeft(table: string): RowLeft | undefined {
  return isFocusNowhere() ? left.get(nameOf(table)) : undefined;
}

function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function nameOf(table: string): string {
  return `${table} ${location.pathname}${location.search}`;
}
