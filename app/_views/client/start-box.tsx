'use client';

import { useMemo, useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { ComboBox } from '@/app/_components/combo-box';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useClientViewQuery } from '@/app/_views/client/use-client-view-query';
import { formatCounted } from '@/lib/format/count';
import type { Resolved } from '@/lib/views/resolved/schema';
import { startParams, startsQueryOf } from './search-params';

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

  return (
    <ComboBox
      label="Listener, or target as in xds:///name"
      word="Listener"
      buttonLabel="Show the listeners"
      text={text}
      onText={setText}
      placeholder="listener or xds:///name"
      items={found.slice(0, mostShown)}
      keyOf={({ listener }) => listener}
      empty={`${starts.length === 0 ? 'No listener.' : 'No listener matches.'} Press Enter to resolve the typed text.`}
      more={
        total > mostShown
          ? `${formatCounted(total - Math.min(mostShown, found.length), 'listener')} more: type part of the name`
          : undefined
      }
      onChoose={({ listener }) => choose(listener)}
      onEnter={() => {
        if (text !== current) choose(text.trim());
        return '';
      }}
      className="flex-[1_1_18rem] md:max-w-md"
    >
      {(start) => (
        <>
          <span className="min-w-0 flex-1">
            <NameText name={start.listener} />
          </span>
          <span className="note whitespace-nowrap">
            {start.kind === 'server' && start.address !== '' ? start.address : kinds[start.kind]}
          </span>
          <StatusMark status={start.state} word={false} />
        </>
      )}
    </ComboBox>
  );
}

type Starts = Pick<Resolved, 'starts' | 'startsTotal'>;

const typingPauseMs = 300;
const none: Starts = { starts: [], startsTotal: 0 };

/** Listeners whose names contain the text: from the first answer, or requested if there are more. */
function useStarts(first: Starts | undefined, text: string): Starts {
  const { query } = useClientViewQuery(startParams);
  const debounced = useDebounced(text, typingPauseMs);
  const isCut = first !== undefined && first.starts.length < first.startsTotal;
  const more = useQuestion('resolved', startsQueryOf(query, debounced), {
    enabled: isCut && debounced !== '',
  });
  if (isCut && text !== '' && text === debounced && more.data !== undefined) return more.data;
  return first ?? none;
}
