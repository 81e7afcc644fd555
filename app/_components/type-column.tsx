import { formatResourceType } from '@/lib/xds/resource-type';
import { column } from './column';
import type { DataColumn } from './data-column';
import { TypeText, typeColumnPx } from './type-text';

/** The short names of types. In a file of its own, because few pages have it. */
export function typeColumn<Row extends { readonly typeUrl?: string | null | undefined }>(): DataColumn<Row> {
  return column('type', 'Type', (row: Row) => row.typeUrl && formatResourceType(row.typeUrl), {
    widthPx: typeColumnPx,
    why: null,
    as: (_, { typeUrl }) => typeUrl && <TypeText typeUrl={typeUrl} />,
  });
}
