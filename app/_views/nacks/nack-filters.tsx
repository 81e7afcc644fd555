'use client';

import { useQuery } from '@tanstack/react-query';
import { clientDetailOptions } from '@/app/_ask/client-question';
import { FilterField } from '@/app/_components/filter-field';
import { NameText } from '@/app/_components/name-text';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { NackState } from '@/lib/nacks/nack-group';
import { nackGrammar } from '@/lib/views/nacks/nack-filter';
import type { NackPage } from '@/lib/views/nacks/schema';
import { findResourceType } from '@/lib/xds/resource-type';

interface NackFilter {
  readonly client: string;
  readonly type: string;
  readonly resource: string;
  readonly q: string;
  readonly state: 'all' | NackState;
  readonly terminated: 'show' | 'hide';
}

interface NackFiltersProps {
  readonly params: NackFilter;
  readonly page: NackPage | undefined;
  readonly onChange: (change: { [K in keyof NackFilter]?: NackFilter[K] | null }) => void;
}

export function NackFilters({ params, page, onChange }: NackFiltersProps) {
  const { client, type, resource, q, state, terminated } = params;
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
        title="NACKs whose clients all terminated before the NACK was resolved. They are not counted as open."
      >
        <input
          type="checkbox"
          checked={terminated === 'hide'}
          onChange={(event) => onChange({ terminated: event.target.checked ? 'hide' : null })}
          className="accent-[var(--accent)]"
        />
        Hide terminated clients{numbers(counts?.terminated)}
      </label>
      <FilterField
        label="Filter NACKs"
        grammar={nackGrammar}
        value={q}
        onChange={(value) => onChange({ q: value || null })}
        placeholder="no hosts  type=CDS  since=10m"
        className="w-full md:w-96"
      />
      {client !== '' && (
        <Chip word="client" value={nodeId} all="all clients" onRemove={() => onChange({ client: null })} />
      )}
      {type !== '' && (
        <Chip word="type" value={service} all="all types" onRemove={() => onChange({ type: null })} />
      )}
      {resource !== '' && (
        <Chip
          word="resource"
          value={resource}
          all="all resources"
          onRemove={() => onChange({ resource: null })}
        />
      )}
      {page !== undefined && (
        <p role="status" className="ml-auto leading-8 whitespace-nowrap text-muted">
          {formatCounted(page.total, 'group')}
        </p>
      )}
    </div>
  );
}

interface ChipProps {
  readonly word: string;
  readonly value: string;
  /** The items that the list shows after the filter is removed, as in "all clients". */
  readonly all: string;
  readonly onRemove: () => void;
}

/** A filter that a link has set; a click removes it. */
function Chip({ word, value, all, onRemove }: ChipProps) {
  return (
    <button
      type="button"
      onClick={onRemove}
      title={`Show ${all}`}
      className="inline-flex h-8 items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-2.5 text-small"
    >
      {word} <NameText name={value} /> <span aria-hidden="true">×</span>
      <span className="sr-only">: show {all}</span>
    </button>
  );
}
