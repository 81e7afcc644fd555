'use client';

import { useQuery } from '@tanstack/react-query';
import { clientDetailOptions } from '@/app/_ask/client-question';
import type { NackPage } from '@/lib/api/nacks';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { NackState } from '@/lib/nacks/nack-group';
import { findResourceType, resourceTypes } from '@/lib/xds/resource-type';
import { NameText } from '../../_components/name-text';
import { SearchField } from '../../_components/search-field';
import { SegmentedChoice } from '../../_components/segmented-choice';

interface NackFilter {
  readonly client: string;
  readonly type: string;
  readonly resource: string;
  readonly text: string;
  readonly state: 'all' | NackState;
  readonly terminated: 'show' | 'hide';
}

interface NackFiltersProps {
  readonly params: NackFilter;
  readonly page: NackPage | undefined;
  readonly onChange: (change: { [K in keyof NackFilter]?: NackFilter[K] | null }) => void;
}

export function NackFilters({ params, page, onChange }: NackFiltersProps) {
  const { client, type, resource, text, state, terminated } = params;
  const counts = page?.counts;
  const numbers = (count: number | undefined): string =>
    count === undefined ? '' : ` ${formatCount(count)}`;
  const { data: reported } = useQuery({
    ...clientDetailOptions({ clientId: client }),
    enabled: client !== '',
    retry: false,
  });
  const nodeId = reported?.nodeId ?? client;
  const service = findResourceType(type)?.service ?? type;
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <SegmentedChoice
        label="State"
        value={state}
        options={[
          { value: 'all', label: 'All' },
          { value: 'open', label: `Open${numbers(counts?.open)}` },
          { value: 'resolved', label: `Resolved${numbers(counts?.resolved)}` },
        ]}
        onChange={(next) => onChange({ state: next })}
      />
      <label
        className="flex h-8 items-center gap-1.5 note"
        title="Open NACKs all of whose clients terminated before they resolved them. They do not count as open here."
      >
        <input
          type="checkbox"
          checked={terminated === 'hide'}
          onChange={(event) => onChange({ terminated: event.target.checked ? 'hide' : null })}
          className="accent-[var(--accent)]"
        />
        Hide terminated clients{numbers(counts?.terminated)}
      </label>
      <label className="flex h-8 items-center gap-1.5 note">
        Type
        <select
          value={service}
          onChange={(event) => onChange({ type: event.target.value })}
          className="h-8 rounded-md border border-line-strong bg-raised px-2 text-text"
        >
          <option value="">all</option>
          {resourceTypes.map((each) => (
            <option key={each.service} value={each.service}>
              {each.service}
            </option>
          ))}
        </select>
      </label>
      <SearchField
        label="Filter by the error message"
        value={text}
        onChange={(value) => onChange({ text: value })}
        placeholder="Search error message"
        className="w-full md:w-72"
      />
      <label className="flex h-8 items-center gap-1.5 note">
        Resource
        <input
          value={resource}
          onChange={(event) => onChange({ resource: event.target.value })}
          placeholder="part of its name"
          spellCheck={false}
          className="h-8 w-44 rounded-md border border-line-strong bg-raised px-2 font-mono text-text placeholder:font-sans placeholder:text-muted"
        />
      </label>
      {client !== '' && (
        <button
          type="button"
          onClick={() => onChange({ client: null })}
          title="Show all clients"
          className="inline-flex h-8 items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-2.5 text-small"
        >
          client <NameText name={nodeId} maxChars={30} /> <span aria-hidden="true">×</span>
          <span className="sr-only">: show all clients</span>
        </button>
      )}
      {page !== undefined && (
        <p role="status" className="ml-auto leading-8 whitespace-nowrap text-muted">
          {formatCounted(page.total, 'group')}
        </p>
      )}
    </div>
  );
}
