'use client';

import { type KeyboardEvent, useMemo, useState } from 'react';
import { Button, ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useQuestion } from '@/app/_ask/use-question';
import { Icon } from '@/app/_components/icon';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useClientViewQuery } from '@/app/(dashboard)/clients/[clientId]/_view/use-client-view-query';
import { startsParamsOf } from '@/app/(dashboard)/clients/[clientId]/client-views';
import type { Resolved } from '@/lib/api/resolved';
import { formatCounted } from '@/lib/format/count';

interface StartBoxProps {
  readonly current: string;
  readonly first: Pick<Resolved, 'starts' | 'startsTotal'> | undefined;
  readonly onChoose: (start: { readonly listener: string; readonly target: string }) => void;
}

/** The list is limited; typing narrows it. */
const mostShown = 50;
const kinds = { api: 'API listener', server: 'server', unknown: 'not reported' } as const;

/** Chooses a listener of the client, or a target such as "xds:///shop" by typing. */
export function StartBox({ current, first, onChoose }: StartBoxProps) {
  const [text, setText] = useState(current);
  const wanted = text === current ? '' : text.toLowerCase();
  const { starts, startsTotal } = useStarts(first, wanted);
  const found = useMemo(
    () => starts.filter(({ listener }) => listener.toLowerCase().includes(wanted)),
    [starts, wanted],
  );
  const total = Math.max(found.length, wanted === '' || starts.length < startsTotal ? startsTotal : 0);

  function choose(start: string) {
    const isTarget = /^xds:/i.test(start);
    onChoose(isTarget ? { listener: '', target: start } : { listener: start, target: '' });
  }

  function chooseTyped(event: KeyboardEvent<HTMLInputElement>) {
    const isOnItem = (event.currentTarget.getAttribute('aria-activedescendant') ?? '') !== '';
    if (event.key === 'Enter' && !isOnItem && text !== current) choose(text.trim());
  }

  return (
    <ComboBox
      aria-label="Listener, or target as in xds:///name"
      allowsCustomValue
      menuTrigger="focus"
      items={found.slice(0, mostShown)}
      inputValue={text}
      onInputChange={setText}
      selectedKey={null}
      onSelectionChange={(key) => {
        if (key !== null) choose(String(key));
      }}
      className="min-w-0 flex-[1_1_18rem] md:max-w-md"
    >
      <div className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-raised pr-1 pl-2.5 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-focus">
        <span className="note">Listener</span>
        <Input
          placeholder="listener or xds:///name"
          autoComplete="off"
          spellCheck={false}
          title={text}
          onKeyDownCapture={chooseTyped}
          className="min-w-0 flex-1 bg-transparent font-mono text-medium text-ellipsis outline-none placeholder:text-muted"
        />
        <Button
          aria-label="Show the listeners"
          className="inline-flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-text"
        >
          <Icon name="chevron-down" sizePx={12} />
        </Button>
      </div>
      <Popover className="w-(--trigger-width) min-w-72 overflow-hidden card shadow-[0_8px_24px_var(--shadow)]">
        <ListBox<Resolved['starts'][number]>
          className="max-h-80 overflow-y-auto p-1 outline-none"
          renderEmptyState={() => (
            <p className="px-2 py-1.5 text-medium text-muted">
              {starts.length === 0 ? 'No listener.' : 'No listener matches.'} Press Enter to resolve the typed
              text.
            </p>
          )}
        >
          {(start) => (
            <ListBoxItem
              id={start.listener}
              textValue={start.listener}
              className="flex min-h-8 cursor-pointer items-center gap-3 rounded px-2 outline-none data-[focused]:bg-hover"
            >
              <span className="min-w-0 flex-1">
                <NameText name={start.listener} />
              </span>
              <span className="note whitespace-nowrap">
                {start.kind === 'server' && start.address !== '' ? start.address : kinds[start.kind]}
              </span>
              <StatusMark status={start.state} word={false} />
            </ListBoxItem>
          )}
        </ListBox>
        {total > mostShown && (
          <p className="border-t border-line px-3 py-1.5 note">
            {formatCounted(total - Math.min(mostShown, found.length), 'listener')} more: type part of the name
          </p>
        )}
      </Popover>
    </ComboBox>
  );
}

type Starts = Pick<Resolved, 'starts' | 'startsTotal'>;

const typingPauseMs = 300;
const none: Starts = { starts: [], startsTotal: 0 };

/** Listeners whose names contain the text: from the first answer, or requested if there are more. */
function useStarts(first: Starts | undefined, text: string): Starts {
  const { query } = useClientViewQuery();
  const debounced = useDebounced(text, typingPauseMs);
  const isCut = first !== undefined && first.starts.length < first.startsTotal;
  const more = useQuestion('resolved', startsParamsOf(query, debounced), {
    enabled: isCut && debounced !== '',
  });
  if (isCut && text !== '' && text === debounced && more.data !== undefined) return more.data;
  return first ?? none;
}
