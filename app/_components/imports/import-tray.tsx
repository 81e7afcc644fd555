'use client';

import { type FileImport, isRunning } from '@/lib/api/imports';
import { useImports } from '../../_hooks/queries';
import { CloseButton } from '../close-button';
import { ImportItem } from './import-item';

interface ImportTrayProps {
  /** runOf() those that are none of this page's. */
  readonly before: ReadonlySet<string>;
  /** Why a file did not even reach the server. */
  readonly error: Error | null;
  readonly onClose: () => void;
}

/** A file that came to nothing may be given again under the same name. */
export function runOf({ id, startedAt }: FileImport): string {
  return `${id} ${startedAt}`;
}

/** What became of the files that were dropped on this page, or pasted: in a corner, on every page. */
export function ImportTray({ before, error, onClose }: ImportTrayProps) {
  const { data: imports = [] } = useImports();
  const shown = imports.filter((item) => isRunning(item) || !before.has(runOf(item)));
  if (shown.length === 0 && error === null) return null;
  return (
    <section
      aria-label="Imports"
      className="fixed right-3 bottom-3 left-3 z-40 flex max-h-[60vh] flex-col overflow-hidden rounded-lg border border-line-strong bg-raised shadow-lg md:left-auto md:w-96"
    >
      <header className="flex items-center justify-between border-b border-line px-3 py-1">
        <h2 className="text-[0.9286rem] font-semibold">Imports</h2>
        <CloseButton label="Close the imports" onClose={onClose} />
      </header>
      <div aria-live="polite" className="flex flex-col gap-2 overflow-y-auto p-2">
        {error !== null && shown.every(({ state }) => state !== 'failed' && state !== 'canceled') && (
          <p role="alert" className="px-1 break-words text-nacked">
            {error.message}
          </p>
        )}
        <ul className="flex flex-col gap-2">
          {shown.map((item) => (
            <ImportItem key={item.id} item={item} />
          ))}
        </ul>
      </div>
    </section>
  );
}
