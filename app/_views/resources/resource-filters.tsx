'use client';

import { Button } from '@/app/_components/button';
import { FilterField } from '@/app/_components/filter-field';
import { PopoverButton } from '@/app/_components/popover-button';
import { StatusMark } from '@/app/_components/status-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { type NamePart, nameParts } from '@/lib/format/names/name-part';
import { buildResourceChips } from '@/lib/views/resources/build-resource-chips';
import { resourceGrammar } from '@/lib/views/resources/resource-filter';
import { resourceQuestionOf } from '@/lib/views/resources/resource-question';
import { formatTypeKey } from '@/lib/views/resources/resource-ref';
import type { ResourcePage } from '@/lib/views/resources/schema';
import { FilterChip } from '../client/filter-chip';
import { namePartLabels } from './name-part-columns';
import { type ResourcesViewQuery, rowsQueryOf } from './search-params';

interface ResourceFiltersProps {
  readonly counts: ResourcePage;
  /** The counts are of the previous filters. */
  readonly isCounting: boolean;
  readonly query: ResourcesViewQuery;
  readonly setQuery: (change: Partial<ResourcesViewQuery>) => void;
}

const noDocuments = { total: 0, matched: 0 };

export function ResourceFilters({ counts, isCounting, query, setQuery }: ResourceFiltersProps) {
  const chips = buildResourceChips(counts, resourceQuestionOf(rowsQueryOf(query)));
  const isFiltered = query.q !== '' || query.type.length > 0 || query.status.length > 0;
  const { documents = noDocuments } = counts;
  const resources = counts.total - documents.total;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <FilterField
        grammar={resourceGrammar}
        label="Filter resources"
        placeholder="cart  status=NACKED"
        value={query.q}
        onChange={(q) => setQuery({ q })}
        className="flex-[1_1_14rem] md:max-w-72"
      />
      <fieldset aria-label="Types" className="flex min-w-0 flex-wrap gap-1">
        {chips.types.map(({ typeUrl, label, count, selected }) => (
          <FilterChip
            key={typeUrl}
            count={count}
            isSelected={selected}
            onChange={(on) => setQuery({ type: withOrWithout(query.type, formatTypeKey(typeUrl), on) })}
          >
            {label}
          </FilterChip>
        ))}
      </fieldset>
      <fieldset aria-label="States" className="flex min-w-0 flex-wrap gap-1">
        {chips.statuses.map(({ status, count, selected }) => (
          <FilterChip
            key={status}
            count={count}
            isSelected={selected}
            onChange={(on) => setQuery({ status: withOrWithout(query.status, status, on) })}
          >
            <StatusMark status={status} />
          </FilterChip>
        ))}
      </fieldset>
      <p className="ml-auto note whitespace-nowrap" role="status">
        {isCounting
          ? 'Counting'
          : isFiltered
            ? `${formatCount(counts.matched - documents.matched)} of ${formatCounted(resources, 'resource')}`
            : formatCounted(resources, 'resource')}
        {!isCounting && documents.matched > 0 && (
          <span title="What the process reports about itself, such as ServerInfo. These are not resources of a management server">
            , {formatCounted(documents.matched, 'document')}
          </span>
        )}
      </p>
      <span className="max-md:hidden">
        <ColumnsButton shown={query.columns} onChange={(columns) => setQuery({ columns })} />
      </span>
      {isFiltered && (
        <Button tone="quiet" onPress={() => setQuery({ q: '', type: [], status: [] })}>
          Clear
        </Button>
      )}
    </div>
  );
}

function withOrWithout<T>(list: readonly T[], item: T, isIn: boolean): T[] {
  const others = list.filter((other) => other !== item);
  return isIn ? [...others, item] : others;
}

interface ColumnsButtonProps {
  readonly shown: readonly NamePart[];
  readonly onChange: (shown: NamePart[]) => void;
}

/** Adds columns for the parts of names. */
function ColumnsButton({ shown, onChange }: ColumnsButtonProps) {
  return (
    <PopoverButton label="Columns for the parts of names" button="Columns">
      <fieldset className="flex flex-col">
        <legend className="mb-1 text-muted">Parts of names as columns</legend>
        {nameParts.map((part) => (
          <label key={part} className="flex min-h-7 items-center gap-2">
            <input
              type="checkbox"
              checked={shown.includes(part)}
              onChange={(event) =>
                onChange(
                  nameParts.filter((other) =>
                    other === part ? event.target.checked : shown.includes(other),
                  ),
                )
              }
            />
            {namePartLabels(part)}
          </label>
        ))}
      </fieldset>
    </PopoverButton>
  );
}
