import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { findRowLeft, isFocusNowhere, rememberRow } from './rows-left';

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
