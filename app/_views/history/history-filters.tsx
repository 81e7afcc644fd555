'use client';

import dynamic from 'next/dynamic';
import type { ReactNode } from 'react';
import { Button } from '@/app/_components/button';
import { FilterField } from '@/app/_components/filter-field';
import { Icon } from '@/app/_components/icon';
import { PopoverButton } from '@/app/_components/popover-button';
import { EventMark } from '@/app/_drawings/history/event-mark';
import { historyGrammar } from '@/lib/views/history/history-filter';
import { type HistoryKind, historyKinds } from '@/lib/views/history/history-kinds';
import { parseTypeKey } from '@/lib/views/resources/resource-ref';
import { formatResourceType, resourceTypes } from '@/lib/xds/resource-type';
import { filterTextOf } from './search-params';
import type { HistorySearchState } from './use-history-search';

const ClientChooser = dynamic(() =>
  import('@/app/_components/client-chooser').then(({ ClientChooser }) => ClientChooser),
);

interface HistoryFiltersProps {
  readonly state: HistorySearchState;
  /** The filters are behind a button, on narrow screens and beside an open event. */
  readonly isFolded: boolean;
  readonly isShown: boolean;
  readonly choosesClient: boolean;
}

const kindOptions = historyKinds.map((kind) => ({ value: kind, label: <EventMark kind={kind} /> }));

export function HistoryFilters({ state, choosesClient, isFolded, isShown }: HistoryFiltersProps) {
  const { search, setSearch, isFiltered, clear } = state;
  const typeOptions = [...new Set([...resourceTypes.map(({ service }) => service), ...search.type])].map(
    (value) => ({ value, label: formatResourceType(parseTypeKey(value) ?? value) }),
  );
  return (
    <fieldset
      aria-label="Filters"
      className={`min-w-0 flex-wrap items-end gap-x-2 gap-y-2 px-3 py-2 ${isFolded ? '' : 'md:flex'} ${isShown ? 'flex' : 'hidden'}`}
    >
      {choosesClient && (
        <ClientChooser
          label="Client"
          word="Client"
          clientId={search.client}
          allText="all"
          onChange={(client) => setSearch({ client, event: null })}
          className="w-56"
        />
      )}
      <FilterField
        label="Filter events"
        grammar={historyGrammar}
        value={filterTextOf(search)}
        onChange={(q) => setSearch({ q, name: '', version: '', error: '', stream: '' })}
        placeholder="type=CDS  status=NACKED"
        className="w-full md:w-80"
      />
      <MultiChoice
        label="Type"
        options={typeOptions}
        value={search.type}
        onChange={(type) => setSearch({ type: [...type] })}
      />
      <MultiChoice
        label="Kind"
        options={kindOptions}
        value={search.kind}
        onChange={(kind) => setSearch({ kind: [...kind] as HistoryKind[] })}
      />
      <label
        className="flex h-7 items-center gap-1.5 text-small whitespace-nowrap"
        title="Load reports (LRS) and counts of the RPCs of test clients arrive every few seconds, and are left out unless this is set"
      >
        <input
          type="checkbox"
          checked={search.lrs}
          onChange={(event) => setSearch({ lrs: event.target.checked })}
          className="size-4 accent-accent"
        />
        Load reports
      </label>
      {isFiltered && (
        <Button tone="quiet" onPress={clear} className="h-7">
          Clear
        </Button>
      )}
    </fieldset>
  );
}

interface MultiChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  /** Empty: all. */
  readonly value: readonly Value[];
  readonly onChange: (value: readonly Value[]) => void;
}

function MultiChoice<Value extends string>({ label, options, value, onChange }: MultiChoiceProps<Value>) {
  const reported = value.length === 0 ? 'all' : value.length === 1 ? value[0] : `${value.length} chosen`;
  return (
    <div className="flex flex-col gap-0.5 text-tiny text-muted">
      <span aria-hidden="true">{label}</span>
      <PopoverButton
        label={label}
        buttonLabel={`${label}: ${reported}`}
        button={<span className="truncate">{reported}</span>}
        className={`h-7 max-w-40 gap-1 rounded-md px-2 text-small text-text ${value.length === 0 ? 'border-line-strong' : 'border-accent'}`}
        popoverClassName="p-1"
      >
        <div className="flex flex-col gap-0.5">
          {options.map((option) => {
            const isIn = value.includes(option.value);
            return (
              <button
                key={option.value}
                type="button"
                aria-pressed={isIn}
                onClick={() => {
                  const others = value.filter((other) => other !== option.value);
                  onChange(isIn ? others : [...others, option.value]);
                }}
                className="group flex h-7 items-center gap-2 rounded px-2 text-left text-small hover:bg-hover aria-pressed:bg-accent-soft"
              >
                <span className="invisible group-aria-pressed:visible">
                  <Icon name="check" sizePx={12} />
                </span>
                {option.label}
              </button>
            );
          })}
        </div>
      </PopoverButton>
    </div>
  );
}
