'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { useDeferredValue, useMemo } from 'react';
import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { NameText } from '@/app/_components/name-text';
import { SearchField } from '@/app/_components/search-field';
import { PageBody, PageTable } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount } from '@/lib/format/count';
import { type FieldRuleRow, listFieldRules, matchesFieldRule } from '@/lib/views/compare/list-rule-rows';

const always = [
  'An unset field equals its zero value if proto3 cannot distinguish the two. An unset wrapper (such as UInt32Value), message or oneof differs from a set one, except for the defaults below.',
  'Durations, numbers and enums are compared as decoded: 1s equals 1.000s, 2 equals "2", an enum number equals its name.',
  'Any values are decoded. v2 types and old extension names are compared under their current names.',
  'Versions, nonces and times are ignored. Resources with only a different version are listed on request.',
  'Repeated fields that are not in this table are compared in order.',
];

const rules = listFieldRules();
const ruleId = ({ field, kind }: FieldRuleRow) => `${kind} ${field}`;

type RuleColumn = DataColumn<FieldRuleRow>;
const fieldColumn: RuleColumn = column('field', 'Field', ({ field }) => field, {
  widthPx: 300,
  grows: true,
  as: (field, { name }) => (
    <span title={field}>
      <NameText name={name} />
    </span>
  ),
});
const reasonColumn: RuleColumn = column('reason', 'Why', ({ reason }) => reason, {
  widthPx: 420,
  grows: true,
  as: (reason) => (
    <span className="line-clamp-2 text-medium leading-tight" title={reason}>
      {reason}
    </span>
  ),
});
const columns: readonly RuleColumn[] = [
  fieldColumn,
  column('kind', 'Compared as', ({ kind }) => kind, { widthPx: 130 }),
  column('by', 'Key', ({ by }) => by, { as: 'name', widthPx: 256 }),
  reasonColumn,
];
const narrowColumns = [
  {
    ...fieldColumn,
    widthPx: 120,
    cell: ({ name, kind, field }: FieldRuleRow) => (
      <span className="flex min-w-0 flex-col py-1 text-small" title={field}>
        <NameText name={name} />
        <span className="text-muted">{kind}</span>
      </span>
    ),
  },
  {
    ...reasonColumn,
    widthPx: 150,
    cell: ({ reason }: FieldRuleRow) => (
      <span className="block py-1 text-medium leading-tight whitespace-normal">{reason}</span>
    ),
  },
];

export function CompareRulesPage() {
  const [text, setText] = useQueryState('q', parseAsString.withDefault('').withOptions({ throttleMs: 200 }));
  const isNarrow = useIsNarrow();
  const wanted = useDeferredValue(text);
  const shown = useMemo(() => rules.filter((rule) => matchesFieldRule(rule, wanted)), [wanted]);
  return (
    <PageBody fills>
      <PageHead title="Comparison rules" vantage="applied to every comparison" />
      <ul className="flex list-disc flex-col gap-1 pl-5 text-medium">
        {always.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          label="Find a field"
          placeholder="Find a field, as in virtualHosts"
          value={text}
          onChange={(next) => void setText(next === '' ? null : next)}
          className="w-full md:w-96"
        />
        <p role="status" className="text-muted">
          {formatCount(shown.length)} of {formatCount(rules.length)} fields
        </p>
      </div>
      <PageTable label="Fields">
        <DataTable
          label="How fields are compared"
          rows={shown}
          columns={isNarrow ? narrowColumns : columns}
          rowId={ruleId}
          rowHeightPx={46}
          question={wanted}
          className="flex-1"
          empty={
            <EmptyState title="No rule for such a field">It is compared by value and in order.</EmptyState>
          }
        />
      </PageTable>
    </PageBody>
  );
}
