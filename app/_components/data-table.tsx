'use client';

import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import type { KeyboardEvent, ReactNode } from 'react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ascending } from '@/lib/collections/compare';
import { type CommonParts, findCommonParts } from '@/lib/format/names/common-parts';
import type { DataColumn, DataSort } from './data-column';
import { DataTableHeader } from './data-table-header';
import { DataTableRow } from './data-table-row';
import { useReturnToRow } from './use-return-to-row';
import { useSortedTable } from './use-sorted-table';
import { useStableOrder } from './use-stable-order';

/** Estimated height of a detail until it is measured. */
const detailLinePx = 28;
/** Estimated height of a heading until it is measured. */
const headingPx = 30;
/** The next page is requested this many rows before the end. */
const rowsAhead = 100;

interface DataTableProps<Row> {
  /** The accessible name. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  /** A stable key of the row. Keep the function's identity. */
  readonly rowId: (row: Row) => string;
  readonly sort?: DataSort | null;
  /** If it is set, the caller owns the order; otherwise the table does. */
  readonly onSortChange?: (sort: DataSort | null) => void;
  /** The rows are sorted by the server. */
  readonly isSorted?: boolean;
  /** The number of all rows, if not all are loaded. */
  readonly totalRows?: number;
  /** Called while the last rows are visible. */
  readonly onEndVisible?: () => void;
  /** Called with the indexes of the first and the last visible row. Keep the function's identity. */
  readonly onVisibleRange?: (first: number, last: number) => void;
  /** The request of the rows; a change scrolls to the top. */
  readonly question?: string;
  readonly selectedId?: string | null;
  /** Called on click and Enter. Keep the function's identity. */
  readonly onActivate?: (row: Row) => void;
  readonly empty?: ReactNode;
  readonly rowHeightPx?: number;
  /** A second line under a row, with the height of its text; null: none. Keep the function's identity. */
  readonly detail?: (row: Row) => ReactNode;
  /**
   * A line above the first row of a group; null: the row is in the group of the one before. Not together with `detail`. Keep
   * the function's identity.
   */
  readonly heading?: (row: Row, before: Row | undefined) => ReactNode;
  /**
   * Set for rows of one height that are added at the top: the table keeps the scroll position, and scrolls to a row
   * that is selected elsewhere.
   */
  readonly keepsPlace?: boolean;
  /** Must set a height (flex child or max-h): the table scrolls inside. */
  readonly className?: string;
}

/**
 * A virtualised table. Arrow keys, Home, End, Page Up and Page Down move between rows, Enter activates one;
 * the focused row stays in the document.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    selectedId,
    onActivate,
    onEndVisible,
    detail,
    heading,
    rowHeightPx = 36,
    className = '',
  } = props;
  const { rows: sorted, sort, setSort } = useSortedTable({ ...props, sort: props.sort ?? null });
  const { rows, isOutdated, handlers } = useStableOrder(sorted, JSON.stringify([sort, props.question]));
  /** The widths that the reader has set, by column. */
  const [widths, setWidths] = useState<Readonly<Record<string, number | undefined>>>({});
  const scroller = useRef<HTMLDivElement>(null);
  const [activeId, setActiveId] = useState<string | null>(selectedId ?? null);
  const wantsFocus = useRef(false);
  const activeAt = useRef(0);
  const foundAt = activeId === null ? 0 : rows.findIndex((row) => row.id === activeId);
  // If the active row disappears, the row at its index becomes active.
  const activeIndex = foundAt === -1 ? Math.max(0, Math.min(activeAt.current, rows.length - 1)) : foundAt;
  const isActiveLost = foundAt === -1 && rows.length > 0;

  const headingOf = (index: number): ReactNode => {
    const row = rows[index]?.original;
    return heading === undefined || row === undefined ? null : heading(row, rows[index - 1]?.original);
  };
  // A new function makes the virtualizer compute the places of all rows again.
  const getItemKey = useCallback((index: number) => rows[index]?.id ?? index, [rows]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index];
      const hasDetail = detail !== undefined && row !== undefined && detail(row.original) !== null;
      const headedPx = headingOf(index) === null ? 0 : headingPx;
      return headedPx + (hasDetail ? rowHeightPx + detailLinePx : rowHeightPx);
    },
    getItemKey,
    // A row with a detail has two elements; only the second one is measured.
    measureElement: (element) =>
      element.getBoundingClientRect().height +
      (element.hasAttribute('data-detail') ? rowHeightPx : headingHeightOf(element)),
    overscan: 8,
    // The size for rendering on the server.
    initialRect: { width: 1200, height: 720 },
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (indexes.includes(activeIndex) || rows.length === 0) return indexes;
      return [...indexes, activeIndex].sort(ascending);
    },
  });

  const visible = virtualizer.getVirtualItems();
  const lastVisible = visible.at(-1)?.index ?? -1;
  const isEndNear = onEndVisible !== undefined && lastVisible >= rows.length - rowsAhead;
  useEffect(() => {
    if (isEndNear) onEndVisible?.();
  }, [isEndNear, onEndVisible]);

  const { onVisibleRange } = props;
  const firstVisible = virtualizer.range?.startIndex ?? 0;
  const endVisible = virtualizer.range?.endIndex ?? 0;
  useEffect(() => onVisibleRange?.(firstVisible, endVisible), [onVisibleRange, firstVisible, endVisible]);

  const { question } = props;
  const shownQuestion = useRef(question);
  useLayoutEffect(() => {
    if (shownQuestion.current === question) return;
    shownQuestion.current = question;
    scroller.current?.scrollTo({ top: 0 });
  }, [question]);

  useLayoutEffect(() => {
    activeAt.current = activeIndex;
    if (!isActiveLost) return;
    // The focused element was removed with its row.
    if (document.activeElement === document.body) wantsFocus.current = true;
    setActiveId(rows[activeIndex]?.id ?? null);
  }, [activeIndex, isActiveLost, rows]);

  // The row may be rendered one render after it becomes active.
  useLayoutEffect(() => {
    if (!wantsFocus.current || activeId === null) return;
    const row = scroller.current?.querySelector(`[data-row-id="${CSS.escape(activeId)}"]`);
    if (!(row instanceof HTMLElement)) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  useReturnToRow({
    ...{ label, rows, selectedId, activeId, activeIndex, scroller },
    onReturn: (index) => {
      wantsFocus.current = true;
      setActiveId(rows[index]?.id ?? null);
      virtualizer.scrollToIndex(index, { align: 'auto' });
    },
  });

  function walk(event: KeyboardEvent<HTMLElement>) {
    const isOnRow = event.target instanceof HTMLElement && event.target.dataset.rowId !== undefined;
    if (!isOnRow) return;
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 360) / rowHeightPx) - 2);
    const next = nextIndex(event.key, activeIndex, rows.length, pageRows);
    const row = next === undefined ? undefined : rows[next];
    if (next === undefined || row === undefined) return;
    event.preventDefault();
    wantsFocus.current = true;
    setActiveId(row.id);
    virtualizer.scrollToIndex(next);
  }

  const { keepsPlace = false } = props;
  const selectedIndex =
    !keepsPlace || selectedId === undefined || selectedId === null
      ? -1
      : rows.findIndex((row) => row.id === selectedId);
  const followedId = useRef<string | null>(null);
  useEffect(() => {
    if (selectedIndex === -1 || selectedId === undefined || followedId.current === selectedId) return;
    followedId.current = selectedId;
    virtualizer.scrollToIndex(selectedIndex, { align: 'auto' });
  }, [selectedIndex, selectedId, virtualizer]);

  const firstSeen = useRef<{ readonly id: string; readonly index: number } | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = firstSeen.current;
    if (!keepsPlace || element === null) return;
    const moved =
      before === null || element.scrollTop < rowHeightPx
        ? 0
        : rows.findIndex(({ id }) => id === before.id) - before.index;
    if (before !== null && moved > 0) element.scrollTop += moved * rowHeightPx;
    const index = Math.floor(element.scrollTop / rowHeightPx);
    const row = rows[index];
    firstSeen.current = row === undefined ? null : { id: row.id, index };
  });

  const focusRow = useCallback((id: string) => setActiveId(id), []);
  const commonParts = useCommonParts(columns, props.rows);
  const minWidthPx = columns.reduce((sum, column) => sum + (widths[column.id] ?? column.widthPx), 0);

  return (
    <div ref={scroller} className={`@container relative min-h-0 overflow-auto ${className}`}>
      <table
        aria-label={label}
        aria-rowcount={Math.max(rows.length, props.totalRows ?? 0) + 1}
        aria-colcount={columns.length}
        onKeyDown={walk}
        className="w-full table-fixed border-collapse"
        style={{ minWidth: minWidthPx }}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} style={{ width: widthOf(column, widths[column.id]) }} />
          ))}
        </colgroup>
        <DataTableHeader
          columns={columns}
          sort={sort}
          onSort={setSort}
          onResize={(id, widthPx) => setWidths((before) => ({ ...before, [id]: widthPx }))}
        />
        <tbody {...handlers}>
          {withGaps(visible, virtualizer.getTotalSize()).map((item) => {
            if (item.kind === 'gap') return <GapRow key={item.id} heightPx={item.heightPx} />;
            const row = rows[item.index];
            return row === undefined ? null : (
              <DataTableRow
                key={row.id}
                row={row.original}
                id={row.id}
                columns={columns}
                commonParts={commonParts}
                index={item.index}
                heightPx={rowHeightPx}
                detail={detail}
                heading={headingOf(item.index)}
                headingPx={headingPx}
                measure={keepsPlace ? undefined : virtualizer.measureElement}
                isActive={item.index === activeIndex}
                isSelected={row.id === selectedId}
                onActivate={onActivate}
                onFocus={focusRow}
              />
            );
          })}
        </tbody>
      </table>
      {rows.length === 0 && props.empty}
      {isOutdated && (
        <p className="pointer-events-none sticky bottom-0 left-0 h-0">
          <span className="absolute right-2 bottom-2 rounded-md border border-line bg-raised px-2 py-0.5 note">
            The order is kept while a row has focus
          </span>
        </p>
      )}
    </div>
  );
}

/** Returns the height of the heading before a row; 0 if it has none. */
function headingHeightOf({ previousElementSibling: before }: Element): number {
  return before?.hasAttribute('data-heading') === true ? before.getBoundingClientRect().height : 0;
}

function GapRow({ heightPx }: { readonly heightPx: number }) {
  return <tr style={{ height: heightPx }} />;
}

type Item =
  | { readonly kind: 'row'; readonly index: number }
  | { readonly kind: 'gap'; readonly id: string; readonly heightPx: number };

/** The visible rows, with gaps before, between and after them; the focused row may be far away. */
function withGaps(visible: readonly VirtualItem[], totalPx: number): Item[] {
  const items: Item[] = [];
  let filledPx = 0;
  for (const { index, start, end } of visible) {
    if (start > filledPx) items.push({ kind: 'gap', id: `gap before ${index}`, heightPx: start - filledPx });
    items.push({ kind: 'row', index });
    filledPx = end;
  }
  if (totalPx > filledPx) items.push({ kind: 'gap', id: 'gap at the end', heightPx: totalPx - filledPx });
  return items;
}

/** A resized width is kept; otherwise growing columns share the remaining width. */
function widthOf<Row>(column: DataColumn<Row>, chosenPx: number | undefined): number | undefined {
  return chosenPx ?? (column.grows === true ? undefined : column.widthPx);
}

function nextIndex(key: string, index: number, count: number, pageRows: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, index + 1);
    case 'ArrowUp':
      return Math.max(0, index - 1);
    case 'PageDown':
      return Math.min(last, index + pageRows);
    case 'PageUp':
      return Math.max(0, index - pageRows);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

type Entries = readonly (readonly [columnId: string, parts: CommonParts])[];

/**
 * Returns the parts that the names of each column have in common. The map keeps its identity while nothing changes,
 * as rows are memoised.
 */
function useCommonParts<Row>(
  columns: readonly DataColumn<Row>[],
  rows: readonly Row[],
): ReadonlyMap<string, CommonParts> {
  const text = useMemo(() => {
    const entries: Entries = columns.flatMap(({ id, nameOf }) =>
      nameOf === undefined ? [] : [[id, findCommonParts(rows.flatMap((row) => nameOf(row) ?? []))] as const],
    );
    return JSON.stringify(entries);
  }, [columns, rows]);
  return useMemo(() => new Map(JSON.parse(text) as Entries), [text]);
}
