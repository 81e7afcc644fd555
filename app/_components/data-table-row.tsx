'use client';

import { type MouseEvent, memo, type ReactElement, type ReactNode } from 'react';
import { type CommonParts, nothingCommon } from '@/lib/format/names/common-parts';
import { CommonPartsContext } from './common-parts-context';
import type { DataColumn } from './data-column';

interface DataTableRowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly columns: readonly DataColumn<Row>[];
  /** The parts that the names of a column have in common, by column. */
  readonly commonParts: ReadonlyMap<string, CommonParts>;
  /** Index in the sorted table, from 0. */
  readonly index: number;
  /** Height of the cells without the detail. */
  readonly heightPx: number;
  readonly detail?: (row: Row) => ReactNode;
  /** A line above the row; null: none. */
  readonly heading: ReactNode;
  readonly headingPx: number;
  /** Receives the last element of the row, for rows of different heights. */
  readonly measure?: (element: Element | null) => void;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onActivate?: (row: Row) => void;
  readonly onFocus: (id: string) => void;
}

function DataTableRowBody<Row>(props: DataTableRowProps<Row>) {
  const {
    row,
    id,
    columns,
    commonParts,
    index,
    heightPx,
    heading,
    headingPx,
    measure,
    isActive,
    isSelected,
    onActivate,
    onFocus,
  } = props;
  const detail = props.detail?.(row) ?? null;
  const look = `${isSelected ? 'bg-accent-soft' : 'hover:bg-hover'} ${onActivate === undefined ? '' : 'cursor-pointer'}`;

  function activate(event: MouseEvent<HTMLElement>) {
    const isControl = event.target instanceof Element && event.target.closest('a, button, input') !== null;
    // Selecting text in a cell does not activate the row.
    const isSelecting = window.getSelection()?.isCollapsed === false;
    if (!isControl && !isSelecting) onActivate?.(row);
  }

  return (
    <>
      {heading !== null && (
        <tr data-heading className="border-b border-line bg-sunken" style={{ height: headingPx }}>
          <th colSpan={columns.length} scope="colgroup" className="p-0 text-left font-normal">
            <div className="sticky left-0 w-[100cqw] overflow-hidden px-3">{heading}</div>
          </th>
        </tr>
      )}
      <tr
        ref={detail === null ? measure : undefined}
        data-index={index}
        data-row-id={id}
        tabIndex={isActive ? 0 : -1}
        aria-rowindex={index + 2}
        aria-current={isSelected ? 'true' : undefined}
        onClick={activate}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target === event.currentTarget) onActivate?.(row);
        }}
        onFocus={() => onFocus(id)}
        className={`-outline-offset-2 ${detail === null ? 'border-b border-line/70' : ''} ${look}`}
        style={{ height: heightPx }}
      >
        {columns.map((column) => (
          <td
            key={column.id}
            className={`overflow-hidden px-3 py-[2px] ${column.align === 'right' ? 'text-right whitespace-nowrap' : ''}`}
          >
            <CommonPartsContext value={commonParts.get(column.id) ?? nothingCommon}>
              {column.cell(row)}
            </CommonPartsContext>
          </td>
        ))}
      </tr>
      {detail !== null && (
        <tr
          ref={measure}
          data-index={index}
          data-detail
          onClick={activate}
          className={`border-b border-line/70 ${look}`}
        >
          <td colSpan={columns.length} className="p-0">
            {/* As wide as the visible part of the table, so that the text wraps there. */}
            <div className="sticky left-0 w-[100cqw] px-3 pb-2">{detail}</div>
          </td>
        </tr>
      )}
    </>
  );
}

/** memo() loses the type parameter. */
export const DataTableRow = memo(DataTableRowBody) as <Row>(props: DataTableRowProps<Row>) => ReactElement;
