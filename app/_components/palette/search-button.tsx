'use client';

import dynamic from 'next/dynamic';
import { Icon } from '../icon';
import { usePalette } from './palette-context';
import { PaletteKeys } from './palette-keys';
import { TypeAhead } from './type-ahead';

const PaletteDialog = dynamic(() => import('./palette-dialog').then(({ PaletteDialog }) => PaletteDialog), {
  loading: TypeAhead,
});
const KeysDialog = dynamic(() => import('./keys-dialog').then(({ KeysDialog }) => KeysDialog));

/** The search field of the header, which opens the search. On a phone it is an icon. */
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
        className="inline-flex h-8 min-w-8 items-center justify-center gap-2 rounded-md border border-transparent text-muted transition hover:text-text max-lg:hover:bg-hover lg:w-44 lg:justify-start lg:border-line-strong lg:bg-raised lg:px-2.5"
      >
        <Icon name="search" />
        <span className="max-lg:sr-only">Search</span>
        <kbd className="ml-auto hidden rounded border border-line px-1 text-tiny lg:inline">/</kbd>
      </button>
      {shown === 'search' && <PaletteDialog onClose={close} />}
      {shown === 'keys' && <KeysDialog onClose={close} />}
    </>
  );
}
