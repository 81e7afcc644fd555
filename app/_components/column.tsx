import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format/count';
import type { EpochMs } from '@/lib/xds/units';
import { BytesText, NotReported } from './bytes-text';
import type { DataColumn } from './data-column';
import { NameText } from './name-text';
import { TimeAgo, timeAgoColumnPx } from './time-ago';

interface Format<Value> extends Pick<Partial<DataColumn<never>>, 'align' | 'grows' | 'sortsDescendingFirst'> {
  readonly widthPx: number;
  /** The reason why a value may be absent, for the tooltip. */
  readonly why?: string;
  readonly sortBy?: (value: Value) => string | number;
  readonly show: (value: Value) => ReactNode;
}

const largestFirst = { align: 'right', widthPx: 96, sortsDescendingFirst: true } as const;
const count: Format<number | string> = { ...largestFirst, sortBy: Number, show: formatCount };
const bytes: Format<number> = { ...largestFirst, show: (size) => <BytesText sizeBytes={size} /> };
/** An age, the newest first. */
const ago: Format<EpochMs> = {
  ...largestFirst,
  widthPx: timeAgoColumnPx,
  why: 'never',
  show: (at) => <TimeAgo at={at} />,
};
/** An external name. */
const name: Format<string> = { widthPx: 200, show: (text) => <NameText name={text} /> };
/** A sentence on one line; the complete one is in the tooltip. */
const text: Format<string> = {
  widthPx: 200,
  grows: true,
  show: (sentence) => (
    <span className="block truncate" title={sentence}>
      {sentence}
    </span>
  ),
};

const formats = { count, bytes, ago, name, text };

type FormatOf<Value> = {
  [Name in keyof typeof formats]: (typeof formats)[Name] extends Format<infer Shown>
    ? Value extends Shown
      ? Name
      : never
    : never;
}[keyof typeof formats];

interface ColumnOptions<Row, Value> extends Partial<Omit<DataColumn<Row>, 'id' | 'header'>> {
  /** Absent: the value as it is. */
  readonly as?: FormatOf<Value> | ((value: Value, row: Row) => ReactNode);
  /** The reason why a value may be absent, for the tooltip; null: nothing is missing, and the cell stays empty. */
  readonly why?: string | null | ((row: Row) => string | null);
}

/** A column that shows `value`, states its absence, and sorts by it. */
export function column<Row, Value extends string | number>(
  id: string,
  header: ReactNode,
  value: (row: Row) => Value | null | undefined,
  { as, why, ...own }: ColumnOptions<Row, Value> = {},
): DataColumn<Row> {
  const format = typeof as === 'string' ? (formats[as] as unknown as Format<Value>) : undefined;
  const { show = typeof as === 'function' ? as : undefined, sortBy, why: usual, ...defaults } = format ?? {};
  return {
    id,
    header,
    widthPx: largestFirst.widthPx,
    ...defaults,
    sortValue: (row) => {
      const found = value(row) ?? null;
      return found === null || sortBy === undefined ? found : sortBy(found);
    },
    cell: (row) => {
      const found = value(row) ?? null;
      if (found !== null) return show === undefined ? found : show(found, row);
      const reason = typeof why === 'function' ? why(row) : why;
      return reason === null ? null : <NotReported why={reason ?? usual} />;
    },
    ...own,
  };
}

/** The columns of a list that is shown in the order of its answer. */
export function unsorted<Row>(columns: readonly DataColumn<Row>[]): readonly DataColumn<Row>[] {
  return columns.map(({ sortValue: _, ...each }) => each);
}
