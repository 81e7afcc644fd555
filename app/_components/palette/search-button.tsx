'use client';

import dynamic from 'next/dynamic';
import { usePathname, useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { findClientPath } from '@/lib/views/search/build-palette';
import { Icon } from '../icon';
import { isTyping } from './is-typing';
import { usePalette } from './palette-context';
import { TypeAhead } from './type-ahead';

const PaletteDialog = dynamic(() => import('./palette-dialog').then(({ PaletteDialog }) => PaletteDialog), {
  loading: TypeAhead,
});
const KeysDialog = dynamic(() => import('./keys-dialog').then(({ KeysDialog }) => KeysDialog));

/** The search field of the header, which opens the search. Below 1280 px it is an icon, which leaves room for the places. */
export function SearchButton() {
  const { shown, show } = usePalette();
  const close = () => show(null);
  return (
    <>
      <PaletteKeys />
      <button
        type="button"
        onClick={() => show('search')}
        aria-haspopup="dialog"
        aria-keyshortcuts="/ Control+K Meta+K"
        title="Search resources, clients, NACKs, pages and actions (Ctrl-K or /)"
        className="inline-flex h-8 min-w-8 items-center justify-center gap-2 rounded-md border border-transparent text-muted transition hover:text-text max-xl:hover:bg-hover xl:w-44 xl:justify-start xl:border-line-strong xl:bg-raised xl:px-2.5"
      >
        <Icon name="search" />
        <span className="max-xl:sr-only">Search</span>
        <kbd className="ml-auto hidden rounded border border-line px-1 text-tiny xl:inline">/</kbd>
      </button>
      {shown === 'search' && <PaletteDialog onClose={close} />}
      {shown === 'keys' && <KeysDialog onClose={close} />}
    </>
  );
}

/** Ctrl-K, Cmd-K and `/` open the search, `?` the list of keys, `C` the page Check, `E` Explain: the tab of a client, else the page. */
function PaletteKeys() {
  const { show } = usePalette();
  const router = useRouter();
  const client = findClientPath(usePathname());
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && !event.shiftKey && event.key.toLowerCase() === 'k') show('search');
      else if (isCommand || isTyping(event.target)) return;
      else if (event.key === '/') show('search');
      else if (event.key === '?') show('keys');
      else if (event.key === 'c') router.push('/check');
      else if (event.key === 'e') router.push(`${client ?? ''}/explain`);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, [show, router, client]);
  return null;
}
