'use client';

import { useState } from 'react';
import { Button } from '@/app/_components/button';
import { ExportDialog } from './export-dialog';

/** A range of the log as a file. `clientId`: only of this client. */
export function ExportButton({ clientId }: { readonly clientId?: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="arrow-right" onPress={() => setOpen(true)}>
        Export
      </Button>
      {isOpen && <ExportDialog clientId={clientId} onClose={() => setOpen(false)} />}
    </>
  );
}
