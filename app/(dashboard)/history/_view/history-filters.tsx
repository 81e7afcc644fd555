'use client';

import { useEffect, useRef, useState } from 'react';
import { Button } from '@/app/_components/button';
import { ClientChooser } from '@/app/_components/client-chooser';
import { EventMark } from '@/app/_drawings/history/event-mark';
import { type HistoryKind, historyKinds } from '@/lib/api/history-kinds';
import { parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { formatResourceType, resourceTypes } from '@/lib/xds/resource-type';
import { MultiChoice } from './multi-choice';
import type { HistorySearchState } from './use-history-search';

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
        title="Load reports (LRS) arrive every few seconds, and are left out unless this is set"
      >
        <input
          type="checkbox"
          checked={search.lrs}
          onChange={(event) => setSearch({ lrs: event.target.checked })}
          className="size-4 accent-accent"
        />
        Load reports
      </label>
      <TextFilter label="Resource name" value={search.name} onChange={(name) => setSearch({ name })} />
      <TextFilter
        label="Version"
        value={search.version}
        onChange={(version) => setSearch({ version })}
        isShort
      />
      <TextFilter label="Error text" value={search.error} onChange={(error) => setSearch({ error })} />
      <TextFilter label="Stream" value={search.stream} onChange={(stream) => setSearch({ stream })} isShort />
      {isFiltered && (
        <Button tone="quiet" onPress={clear} className="h-7">
          Clear
        </Button>
      )}
    </fieldset>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isShort?: boolean;
}

const fieldClass =
  'h-7 rounded-md border border-line-strong bg-raised px-2 text-small text-text placeholder:text-muted';
const pauseMs = 300;

function TextFilter({ label, value, onChange, isShort = false }: TextFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const notify = useRef(onChange);
  useEffect(() => {
    notify.current = onChange;
  });
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => notify.current(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <label className="flex min-w-0 flex-col gap-0.5 text-tiny text-muted">
      {label}
      <input
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        className={`${fieldClass} font-mono ${isShort ? 'w-20' : 'w-32'}`}
      />
    </label>
  );
}
