import { expect, test } from 'vitest';
import { RowsLeft } from '@/app/_components/use-return-to-row';

test('the row that was left last is found for each table', () => {
  const rows = new RowsLeft();
  rows.keep('clients /clients', { id: 'a', index: 3 });
  rows.keep('clients /clients', { id: 'b', index: 4 });
  rows.keep('issues /issues', { id: 'c', index: 0 });
  expect(rows.find('clients /clients')).toEqual({ id: 'b', index: 4 });
  expect(rows.find('clients /clients?q=a')).toBeUndefined();
});

test('the rows of 50 tables are kept: those that were left last', () => {
  const rows = new RowsLeft();
  for (let table = 0; table < 50; table++) rows.keep(`table ${table}`, { id: 'a', index: table });
  rows.keep('table 0', { id: 'b', index: 0 });
  rows.keep('one more', { id: 'a', index: 0 });
  expect(rows.find('table 0')?.id).toBe('b');
  expect(rows.find('table 1')).toBeUndefined();
  expect(rows.find('table 2')).toBeDefined();
});
