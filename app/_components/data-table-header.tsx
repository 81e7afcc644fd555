'use client';

import type { KeyboardEvent, PointerEvent } from 'react';
import type { DataColumn, DataSort } from './data-column';
import { Icon } from './icon';
import { nextSort } from './use-sorted-table';

const keyStepPx = 16;
const narrowestPx = 48;

interface DataTableHeaderProps<Row> {
  readonly columns: readonly DataColumn<Row>[];
  readonly sort: DataSort | null;
  readonly onSort: (sort: DataSort | null) => void;
  /** undefined: the width that the column has by default. */
  readonly onResize: (columnId: string, widthPx: number | undefined) => void;
}

/** The sticky header: click to sort, drag the right edge or press Shift with an arrow key to resize. */
export function DataTableHeader<Row>({ columns, ...cell }: DataTableHeaderProps<Row>) {
  return (
    <thead className="sticky top-0 z-10 bg-sunken shadow-[inset_0_-1px_var(--border)]">
      <tr aria-rowindex={1} className="h-9">
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} {...cell} />
        ))}
      </tr>
    </thead>
  );
}

interface HeaderCellProps<Row> extends Omit<DataTableHeaderProps<Row>, 'columns'> {
  readonly column: DataColumn<Row>;
}

function HeaderCell<Row>({ column, sort, onSort, onResize }: HeaderCellProps<Row>) {
  const direction = sort?.columnId !== column.id ? undefined : sort.descending ? 'descending' : 'ascending';
  const resize = (widthPx: number) => onResize(column.id, Math.max(narrowestPx, widthPx));

  function startDrag(event: PointerEvent<HTMLElement>) {
    const handle = event.currentTarget;
    const cell = handle.parentElement;
    if (cell === null) return;
    const startX = event.clientX;
    // A growing column is wider than its nominal width, so the drag starts at the measured width.
    const startPx = cell.getBoundingClientRect().width;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => resize(startPx + move.clientX - startX);
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
    event.preventDefault();
  }

  function resizeByKey(event: KeyboardEvent<HTMLElement>) {
    if (!event.shiftKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    const widthPx = event.currentTarget.parentElement?.getBoundingClientRect().width ?? column.widthPx;
    resize(widthPx + (event.key === 'ArrowRight' ? keyStepPx : -keyStepPx));
    event.preventDefault();
  }

  const align = column.align === 'right' ? 'text-right' : 'text-left';
  return (
    <th
      scope="col"
      aria-sort={direction}
      title={column.description}
      className={`relative px-3 text-small font-medium text-muted ${align}`}
    >
      {column.sortValue === undefined ? (
        <span className="block truncate">{column.header}</span>
      ) : (
        <button
          type="button"
          onClick={() => onSort(nextSort(column, sort))}
          onKeyDown={resizeByKey}
          aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
          className={`-mx-1 inline-flex h-6 max-w-full items-center gap-1 rounded px-1 hover:text-text ${direction === undefined ? '' : 'text-text'}`}
        >
          <span className="truncate">{column.header}</span>
          {direction !== undefined && (
            <Icon name={direction === 'ascending' ? 'chevron-up' : 'chevron-down'} sizePx={12} />
          )}
        </button>
      )}
      <span
        aria-hidden="true"
        onPointerDown={startDrag}
        onDoubleClick={() => onResize(column.id, undefined)}
        className="absolute inset-y-1.5 right-0 w-2 cursor-col-resize touch-none border-r border-line transition hover:border-r-2 hover:border-accent"
      />
    </th>
  );
}
