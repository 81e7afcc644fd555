import { formatCount } from '@/lib/format/count';
import { BytesText, NotReported } from './bytes-text';
import type { DataColumn } from './data-column';
import { NameText } from './name-text';
import { TimeAgo, timeAgoColumnPx } from './time-ago';
import { TypeText, typeColumnPx } from './type-text';

type Heading<Row> = Pick<DataColumn<Row>, 'id' | 'header'> & Partial<DataColumn<Row>>;

/** A number, the largest first; null: not reported. */
export function countColumn<Row>(of: (row: Row) => number | null, heading: Heading<Row>): DataColumn<Row> {
  return {
    ...{ align: 'right', widthPx: 96, sortsDescendingFirst: true, sortValue: of },
    cell: (row) => {
      const count = of(row);
      return count === null ? <NotReported /> : formatCount(count);
    },
    ...heading,
  };
}

/** A number of bytes, the largest first; null: not reported. */
export function bytesColumn<Row>(of: (row: Row) => number | null, heading: Heading<Row>): DataColumn<Row> {
  return countColumn(of, { cell: (row) => <BytesText sizeBytes={of(row)} />, ...heading });
}

/** An ISO time as an age, the newest first; null: never. */
export function timeColumn<Row>(of: (row: Row) => string | null, heading: Heading<Row>): DataColumn<Row> {
  return {
    ...{ align: 'right', widthPx: timeAgoColumnPx, sortsDescendingFirst: true, sortValue: of },
    cell: (row) => <TimeAgo iso={of(row)} />,
    ...heading,
  };
}

export function typeColumn<
  Row extends { readonly service: string; readonly typeUrl: string },
>(): DataColumn<Row> {
  return {
    ...{ id: 'type', header: 'Type', widthPx: typeColumnPx, sortValue: ({ service }) => service },
    cell: ({ typeUrl }) => <TypeText typeUrl={typeUrl} />,
  };
}

/** An external name. */
export function nameColumn<Row>(
  of: (row: Row) => string,
  { copy, ...heading }: Heading<Row> & { readonly copy?: boolean },
): DataColumn<Row> {
  return {
    ...{ widthPx: 200, grows: true, sortValue: of, nameOf: of },
    cell: (row) => <NameText name={of(row)} copy={copy} />,
    ...heading,
  };
}

/** A sentence on one line; the complete one is in the tooltip. */
export function textColumn<Row>(of: (row: Row) => string, heading: Heading<Row>): DataColumn<Row> {
  return {
    ...{ widthPx: 200, grows: true, sortValue: of },
    cell: (row) => (
      <span className="block truncate" title={of(row)}>
        {of(row)}
      </span>
    ),
    ...heading,
  };
}
