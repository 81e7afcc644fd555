'use client';

import { useItems } from '@/app/_ask/use-question';
import { isRunning } from '@/lib/views/sources/is-running';
import { CloseButton } from '../close-button';
import { ImportItem } from './import-item';
import { useImportQueue } from './import-queue';
import { importRunId } from './import-run-id';
import { UnsentFiles, WaitingFiles } from './waiting-files';

interface ImportTrayProps {
  /** Keys by importRunId() of imports that this page did not start. */
  readonly before: ReadonlySet<string>;
  readonly onClose: () => void;
}

export function ImportTray({ before, onClose }: ImportTrayProps) {
  const { data: imports = [] } = useItems('imports', {});
  const { waiting, unsent } = useImportQueue();
  const shown = imports.filter((item) => isRunning(item) || !before.has(importRunId(item)));
  if (shown.length + waiting.length + unsent.length === 0) return null;
  return (
    <section
      aria-label="Imports"
      className="fixed right-3 bottom-3 left-3 z-40 flex max-h-[60vh] flex-col overflow-hidden rounded-lg border border-line-strong bg-raised shadow-lg md:left-auto md:w-96"
    >
      <header className="flex items-center justify-between border-b border-line px-3 py-1">
        <h2 className="text-medium font-semibold">Imports</h2>
        <CloseButton label="Close the imports" onClose={onClose} />
      </header>
      <div aria-live="polite" className="flex flex-col gap-2 overflow-y-auto p-2">
        <UnsentFiles imports={shown} />
        <WaitingFiles />
        <ul className="flex flex-col gap-2">
          {shown.map((item) => (
            <ImportItem key={item.id} item={item} />
          ))}
        </ul>
      </div>
    </section>
  );
}
