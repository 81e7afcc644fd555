import { expect, it } from 'vitest';
import { nextSort } from '@/app/_components/use-sorted-table';

it.each([
  ['the first direction, the other one, none', undefined, [false, true, null]],
  ['descending first', true, [true, false, null]],
] as const)('clicks on a header sort by %s', (_, sortsDescendingFirst, expected) => {
  const column = { id: 'size', ...(sortsDescendingFirst && { sortsDescendingFirst }) };
  let sort: Parameters<typeof nextSort>[1] = { columnId: 'name', descending: true };
  for (const descending of expected) {
    sort = nextSort(column, sort);
    expect(sort).toEqual(descending === null ? null : { columnId: 'size', descending });
  }
});
