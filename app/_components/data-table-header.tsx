'use client';

import type { Header, RowData } from '@tanstack/react-table';
import type { KeyboardEvent, PointerEvent } from 'react';
import type { DataColumn } from './data-column';
import { Icon } from './icon';
import type { SortedTable, SortedTableFeatures } from './use-sorted-table';

const keyStepPx = 16;
const narrowestPx = 48;

interface DataTableHeaderProps<Row extends RowData> {
  readonly table: SortedTable<Row>;
  readonly columns: readonly DataColumn<Row>[];
}

/** The sticky header: click to sort, drag the right edge or press Shift with an arrow key to resize. */
export function DataTableHeader<Row extends RowData>({ table, columns }: DataTableHeaderProps<Row>) {
  const byId = new Map(columns.map((column) => [column.id, column]));
  return (
    <thead className="sticky top-0 z-10 bg-sunken shadow-[inset_0_-1px_var(--border)]">
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} aria-rowindex={1} className="h-9">
          {group.headers.map((header) => {
            const column = byId.get(header.column.id);
            return column === undefined ? null : (
              <HeaderCell key={header.id} header={header} table={table} column={column} />
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

interface HeaderCellProps<Row extends RowData> {
  readonly header: Header<SortedTableFeatures, Row, unknown>;
  readonly table: SortedTable<Row>;
  readonly column: DataColumn<Row>;
}

function HeaderCell<Row extends RowData>({ header, table, column }: HeaderCellProps<Row>) {
  const sorted = header.column.getIsSorted();
  const resize = (widthPx: number) =>
    table.setColumnSizing((sizes) => ({ ...sizes, [column.id]: Math.max(narrowestPx, widthPx) }));

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
      aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
      title={column.description}
      className={`relative px-3 text-small font-medium text-muted ${align}`}
    >
      {header.column.getCanSort() ? (
        <button
          type="button"
          onClick={header.column.getToggleSortingHandler()}
          onKeyDown={resizeByKey}
          aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
          className={`-mx-1 inline-flex h-6 max-w-full items-center gap-1 rounded px-1 hover:text-text ${sorted === false ? '' : 'text-text'}`}
        >
          <span className="truncate">{column.header}</span>
          {sorted !== false && <Icon name={sorted === 'asc' ? 'chevron-up' : 'chevron-down'} sizePx={12} />}
        </button>
      ) : (
        <span className="block truncate">{column.header}</span>
      )}
      <span
        aria-hidden="true"
        onPointerDown={startDrag}
        onDoubleClick={() => table.setColumnSizing(({ [column.id]: _reset, ...others }) => others)}
        className="absolute inset-y-1.5 right-0 w-2 cursor-col-resize touch-none border-r border-line transition hover:border-r-2 hover:border-accent"
      />
    </th>
  );
}
