'use client';

import { useIsFetching } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { subjectKey } from '@/app/_ask/client-subject';
import { useRunningImport } from '@/app/_ask/use-running-import';
import type { FileImport } from '@/lib/api/imports';

const ImportProgress = dynamic(() =>
  import('@/app/_components/imports/import-progress').then(({ ImportProgress }) => ImportProgress),
);

/**
 * The progress of a client's file while it is read, and until the views have its newest data. Nothing for
 * other clients.
 */
export function ReadingProgress({ clientId }: { readonly clientId: string }) {
  const running = useRunningImport(clientId);
  const isBehind = useIsFetching({ queryKey: subjectKey({ clientId }) }) > 0;
  const [newest, setNewest] = useState<FileImport | null>(null);
  if (running && running !== newest) setNewest(running);
  if (!running && newest !== null && !isBehind) setNewest(null);
  const item = running ?? newest;
  if (!item) return null;
  return (
    <div className="flex flex-col gap-1 px-4 pt-2">
      <p className="text-medium">
        {running
          ? 'Its file is still being read. The data below is what has been read so far.'
          : 'Its file has been read. The data below is being updated.'}
      </p>
      <ImportProgress item={running ? item : atItsEnd(item)} />
    </div>
  );
}

function atItsEnd(item: FileImport): FileImport {
  const { total } = item.progress;
  return { ...item, state: 'reading', progress: { done: total ?? 0, total } };
}
