'use client';

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { useSearch } from '@/app/_ask/use-search';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useListChoice } from '@/app/_hooks/use-list-choice';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCounted } from '@/lib/format/count';
import { buildPalette, searchHref } from '@/lib/views/search/build-palette';
import { parseClientPhrase } from '@/lib/views/search/client-phrase';
import type { PaletteItem } from '@/lib/views/search/palette-item';
import { CloseButton } from '../close-button';
import { Icon } from '../icon';
import { Modal } from '../modal';
import { describeIndex } from './describe-index';
import { PaletteList } from './palette-list';
import { typedAhead } from './type-ahead';
import { usePaletteItems } from './use-palette-items';

const typingPauseMs = 80;
const perGroup = 7;

/** The search over everything: a text field with a list of choices (ARIA combobox). */
export function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal aria-label="Search" onClose={onClose} className="md:p-4 md:pt-[8vh]">
      <div className="flex min-h-0 w-full max-w-[680px] flex-col border-line bg-raised shadow-[0_16px_48px_var(--shadow)] max-md:h-dvh md:max-h-[80vh] md:rounded-xl md:border">
        <PaletteBox onClose={onClose} />
      </div>
    </Modal>
  );
}

function PaletteBox({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState(typedAhead.text);
  const asked = useDebounced(text, typingPauseMs);
  const { data: answer, error, isFetching } = useSearch(asked, perGroup);
  const { places, actions, run } = usePaletteItems();
  const [recent] = useState(readRecentChoices);
  const [now] = useState(() => Date.now());
  const timeZone = useTimeZone();
  const router = useRouter();
  const path = usePathname();
  const search = useSearchParams().toString();
  const listId = useId();
  const phrase = useClientPhrase(asked, now, timeZone);
  // An earlier text may name another client.
  const ofClient = asked === text ? phrase : undefined;
  const groups = useMemo(
    () =>
      buildPalette({ ...{ text, path, search, places, actions, recent, answer, ofClient }, now, timeZone }),
    [text, path, search, places, actions, recent, answer, ofClient, now, timeZone],
  );
  const items = groups.flatMap((group) => group.items);
  const { index, setIndex, onArrow } = useListChoice(items.length);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // The dialog is opened to type.
  useEffect(() => {
    typedAhead.text = '';
    field.current?.focus();
  }, []);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [index]);

  function choose(item: PaletteItem): void {
    onClose();
    keepRecentChoice(item);
    if ('href' in item.target) router.push(item.target.href);
    else run(item.target.action);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (onArrow(event) || event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    const chosen = items[index];
    if (chosen !== undefined) choose(chosen);
    else if (text.trim() !== '') choose(allResults(text.trim()));
  }

  const isPending = isFetching || asked !== text;
  return (
    <>
      <div className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
        <span className="text-muted">
          <Icon name="search" sizePx={16} />
        </span>
        <input
          ref={field}
          role="combobox"
          aria-label="Search resources, clients, NACKs, pages, actions and times"
          aria-expanded={items.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={index < 0 ? undefined : `${listId}-${index}`}
          value={text}
          placeholder="payment-v1   type=CDS status=NACKED   10.0.0.1:8080   shop-web yesterday 03:04"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setText(event.target.value);
            setIndex(0);
          }}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
        />
        <CloseButton label="Close the search" onClose={onClose} />
      </div>
      <PaletteList
        ref={list}
        id={listId}
        groups={groups}
        index={index}
        onHover={setIndex}
        onChoose={choose}
      />
      <p
        role="status"
        className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 border-t border-line px-4 py-1.5 note"
      >
        <span>{describeChoices({ text: text.trim(), count: items.length, isPending, error })}</span>
        {answer !== undefined && text.trim() !== '' && <span>{describeIndex(answer, text)}</span>}
      </p>
    </>
  );
}

/** Parses a text that asks for a view of a client, and finds the clients that its words match. */
function useClientPhrase(text: string, now: number, timeZone: string) {
  const phrase = useMemo(() => parseClientPhrase(text, { now, timeZone }), [text, now, timeZone]);
  const found = useFoundClients(phrase?.client ?? '');
  const isOfAny = phrase?.kind === 'explain' && phrase.client === '';
  const any = useQuestion('clients', { limit: perGroup }, { enabled: isOfAny }).data?.items;
  const clients = isOfAny ? any?.filter(({ isProbe }) => !isProbe) : found;
  const others = useFoundClients(phrase?.kind === 'compare' ? phrase.other : '');
  return useMemo(
    () => (phrase === undefined ? undefined : { phrase, clients: clients ?? [], others: others ?? [] }),
    [phrase, clients, others],
  );
}

/** undefined: there is no answer to the text yet. */
function useFoundClients(text: string) {
  const { data, isPlaceholderData } = useSearch(text, perGroup);
  return isPlaceholderData ? undefined : data?.clients.items;
}

interface Choices {
  readonly text: string;
  readonly count: number;
  readonly isPending: boolean;
  readonly error: Error | null;
}

function describeChoices({ text, count, isPending, error }: Choices): string {
  if (error !== null) return `Couldn’t search: ${error.message}`;
  if (text === '') return '↑ ↓ to choose, Enter to open, Esc to close';
  if (isPending) return 'Searching';
  return count === 0 ? `Nothing matches “${text}”` : formatCounted(count, 'choice');
}

function allResults(text: string): PaletteItem {
  const target = { href: searchHref(text) };
  return { id: 'all', group: 'resources', title: text, label: 'search', detail: '', target };
}

const storageKey = 'xdscope-recent';
const mostKept = 6;

/** The newest is first. A stored value of another form is ignored. */
function readRecentChoices(): PaletteItem[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(toItem).slice(0, mostKept) : [];
  } catch {
    // Storage is blocked, or has another text.
    return [];
  }
}

/** Only choices that open a page are kept. */
function keepRecentChoice({ title, label, target }: PaletteItem): void {
  if (!('href' in target)) return;
  const others = readRecentChoices().filter(
    (each) => 'href' in each.target && each.target.href !== target.href,
  );
  const kept = [{ title, label, href: target.href }, ...others.flatMap(toStored)].slice(0, mostKept);
  try {
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // If storage is blocked, no choices are kept.
  }
}

function toStored({ title, label, target }: PaletteItem) {
  return 'href' in target ? [{ title, label, href: target.href }] : [];
}

function toItem(stored: unknown): PaletteItem[] {
  if (typeof stored !== 'object' || stored === null) return [];
  const { title, label, href } = stored as Record<string, unknown>;
  if (typeof title !== 'string' || typeof label !== 'string' || typeof href !== 'string') return [];
  // A link to another site would be a way out of the program.
  if (!/^\/(?![/\\])/.test(href)) return [];
  return [{ id: `recent ${href}`, group: 'recent', title, label, detail: '', target: { href } }];
}
