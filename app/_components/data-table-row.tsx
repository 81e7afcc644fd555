'use client';

import { type MouseEvent, memo, type ReactElement } from 'react';
import type { DataColumn } from './data-column';

interface DataTableRowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly columns: readonly DataColumn<Row>[];
  /** Place in the whole sorted table, from 0. */
  readonly index: number;
  readonly heightPx: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onActivate?: (row: Row) => void;
  readonly onFocus: (id: string) => void;
}

function DataTableRowBody<Row>(props: DataTableRowProps<Row>) {
  const { row, id, columns, index, heightPx, isActive, isSelected, onActivate, onFocus } = props;

  function activate(event: MouseEvent<HTMLElement>) {
    const isControl = event.target instanceof Element && event.target.closest('a, button, input') !== null;
    // Selecting text in a cell is no click on the row.
    const isSelecting = window.getSelection()?.isCollapsed === false;
    if (!isControl && !isSelecting) onActivate?.(row);
  }

  return (
    <tr
      data-row-id={id}
      tabIndex={isActive ? 0 : -1}
      aria-rowindex={index + 2}
      aria-current={isSelected ? 'true' : undefined}
      onClick={activate}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onActivate?.(row);
      }}
      onFocus={() => onFocus(id)}
      className={`border-b border-line/70 -outline-offset-2 ${isSelected ? 'bg-accent-soft' : 'hover:bg-hover'} ${
        onActivate === undefined ? '' : 'cursor-pointer'
      }`}
      style={{ height: heightPx }}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          className={`overflow-hidden px-3 py-0 ${column.align === 'right' ? 'text-right' : ''}`}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** memo() forgets that the component is generic. */
export const DataTableRow = memo(DataTableRowBody) as <Row>(props: DataTableRowProps<Row>) => ReactElement;
