import { expect, it } from 'vitest';
import { knownDefaults } from '@/lib/diff/known-defaults';
import { listRules } from '@/lib/diff/list-rules';
import { type FieldRuleRow, listFieldRules, matchesFieldRule } from '@/lib/views/compare/list-rule-rows';

const rows = listFieldRules();

it('listFieldRules lists the fields of both tables, with their reasons', () => {
  const known = [...Object.keys(listRules), ...Object.keys(knownDefaults)].sort();
  expect(rows.map(({ field }) => field).sort()).toEqual(known);
  expect(rows.filter(({ reason, name, by }) => reason === '' || name === '' || by === '')).toEqual([]);
  const find = (field: string) => rows.find((row) => row.field.endsWith(field));
  expect(find('.VirtualHost.routes')).toMatchObject({
    name: 'VirtualHost.routes',
    kind: 'ordered',
    by: 'name, else match',
  });
  expect(find('.VirtualHost.domains')).toMatchObject({ kind: 'set', by: 'the whole value' });
  expect(find('.RouteMatch.caseSensitive')).toMatchObject({
    kind: 'default',
    by: 'true where it is not set',
  });
});

it('matchesFieldRule finds by all words, whatever the case', () => {
  const found = rows.filter((row) => matchesFieldRule(row, 'virtualhost ROUTES first'));
  expect(found.map(({ name }) => name)).toEqual(['VirtualHost.routes']);
  expect(matchesFieldRule(found[0] as FieldRuleRow, 'virtualhost routes last')).toBe(false);
});
