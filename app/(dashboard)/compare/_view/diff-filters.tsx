'use client';

import { SearchField } from '@/app/_components/search-field';
import { SelectField } from '@/app/_components/select-field';
import { TypeField } from '@/app/_components/type-field';
import type { DiffAnswer } from '@/lib/api/diff';
import { diffItemKinds } from '@/lib/diff/diff-item-kind';
import { formatCount } from '@/lib/format/count';
import { changeShape } from '@/lib/view-model/changes/change-shape';
import type { CompareQuery } from './use-compare-query';

interface DiffFiltersProps {
  readonly query: CompareQuery;
  readonly counts: DiffAnswer['counts'];
  readonly onChange: (change: Partial<CompareQuery>) => void;
}

export function DiffFilters({ query, counts, onChange }: DiffFiltersProps) {
  const { kind, type, q, versions } = query;
  const kinds = diffItemKinds.filter((each) => counts[each] > 0 || each === kind);
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-1.5 border-b border-line px-3 py-2">
      <SelectField
        className="w-52"
        label="Difference"
        value={kind}
        options={[
          { value: '', label: 'all' },
          ...kinds.map((value) => ({
            value,
            label: `${changeShape(value).word} (${formatCount(counts[value])})`,
          })),
        ]}
        onChange={(next) => onChange({ kind: next })}
      />
      <TypeField value={type} onChange={(next) => onChange({ type: next })} className="w-32" />
      <SearchField
        label="Part of the name"
        placeholder="part of the name"
        value={q}
        onChange={(next) => onChange({ q: next })}
        className="min-w-40 flex-1 md:max-w-72"
      />
      {counts.version > 0 && (
        <label className="inline-flex h-8 items-center gap-2 text-medium">
          <input
            type="checkbox"
            checked={versions}
            onChange={(event) => onChange({ versions: event.target.checked })}
          />
          Version only ({formatCount(counts.version)})
        </label>
      )}
    </div>
  );
}
