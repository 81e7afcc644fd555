import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

interface ReturnToRow {
  /** The table's. */
  readonly label: string;
  readonly rows: readonly { readonly id: string }[];
  readonly selectedId: string | null | undefined;
  readonly activeId: string | null;
  readonly activeIndex: number;
  readonly scroller: RefObject<HTMLElement | null>;
  /** The row at this place is to have the focus. */
  readonly onReturn: (index: number) => void;
}

/**
 * Whoever comes back is where they were: on the row whose page they leave by Back, on the row whose inspector closes.
 * Nobody's focus is taken away.
 */
export function useReturnToRow(props: ReturnToRow): void {
  const { label, rows, selectedId, activeId, activeIndex, scroller, onReturn } = props;

  const hasLooked = useRef(false);
  useLayoutEffect(() => {
    if (hasLooked.current || rows.length === 0) return;
    hasLooked.current = true;
    const found = findRowLeft(label);
    if (found === undefined) return;
    const index = rows.findIndex(({ id }) => id === found.id);
    // Of a list of which only what is in sight is here, the row is still to come: its place is known.
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

/** Where somebody was in a table. */
interface RowLeft {
  readonly id: string;
  readonly index: number;
}

const mostKept = 50;
const left = new Map<string, RowLeft>();

/** Of this address, as long as the browser does not load a document anew. `table`: its label. */
function rememberRow(table: string, row: RowLeft): void {
  const name = nameOf(table);
  left.delete(name);
  left.set(name, row);
  const [oldest] = left.keys();
  if (left.size > mostKept && oldest !== undefined) left.delete(oldest);
}

/**
 * Whoever comes back to an address by Back has the focus nowhere: it belongs on the row that was left. Whoever came by
 * a link or a key has it there.
 */
function findRowLeft(table: string): RowLeft | undefined {
  return isFocusNowhere() ? left.get(nameOf(table)) : undefined;
}

function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function nameOf(table: string): string {
  return `${table} ${location.pathname}${location.search}`;
}
