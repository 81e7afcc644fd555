'use client';

import { ImportProgress } from '@/app/_components/imports/import-progress';
import { useRunningImport } from '@/app/_hooks/use-running-import';

/** Of a client whose file is still being read: how far that is. Nothing of any other. */
export function BeingRead({ clientId }: { readonly clientId: string }) {
  const item = useRunningImport(clientId);
  if (!item) return null;
  return (
    <div className="flex flex-col gap-1 px-4 pt-2">
      <p className="text-[0.9286rem]">
        Its file is still being read: what is shown is what has been read so far.
      </p>
      <ImportProgress item={item} />
    </div>
  );
}
