'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '@/app/_components/button';
import { loadOnInput } from '@/app/_components/load-on-input';
import { usePaletteOffers } from '@/app/_components/palette/palette-context';

const ExportDialog = dynamic(() => import('./export-dialog').then(({ ExportDialog }) => ExportDialog));
loadOnInput(() => import('./export-dialog'));

/** Exports a range of the log; with `clientId` only of this client. */
export function ExportButton({ clientId }: { readonly clientId?: string }) {
  const [isOpen, setOpen] = useState(false);
  const title = clientId === undefined ? 'Export the log' : 'Export this client';
  usePaletteOffers(() => [{ title, label: '.xdscope file', target: { run: () => setOpen(true) } }]);
  return (
    <>
      <Button icon="arrow-right" onPress={() => setOpen(true)}>
        Export
      </Button>
      {isOpen && <ExportDialog clientId={clientId} onClose={() => setOpen(false)} />}
    </>
  );
}
