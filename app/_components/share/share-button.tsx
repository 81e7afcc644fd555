'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { loadOnInput } from '@/app/_components/load-on-input';
import { usePaletteOffers } from '@/app/_components/palette/palette-context';
import type { NewPermalink } from '@/lib/views/permalinks/schema';
import type { EpochMs } from '@/lib/xds/units';

const ShareDialog = dynamic(() => import('./share-dialog').then(({ ShareDialog }) => ShareDialog));
loadOnInput(() => import('./share-dialog'));

interface ShareButtonProps {
  /** Called on press, for the current view. */
  readonly read: () => NewPermalink;
  /** Resources of the client; undefined: unknown. */
  readonly resources: number | undefined;
}

export function ShareButton({ read, resources }: ShareButtonProps) {
  const create = useCommand('POST permalinks');
  const [storedAt, setStoredAt] = useState<EpochMs | null>(null);
  const [isDrawing, setIsDrawing] = useState(false);

  function share() {
    const shared = read();
    setStoredAt(null);
    setIsDrawing(shared.view?.transform !== undefined);
    create.mutate(shared, { onSuccess: () => setStoredAt(Date.now()) });
  }

  usePaletteOffers(() => [{ title: 'Share this view', label: 'permalink', target: { run: share } }]);

  return (
    <>
      <Button icon="share" onPress={share} isPending={create.isPending}>
        Share
      </Button>
      {!create.isIdle && (
        <ShareDialog
          onClose={create.reset}
          url={create.data?.url}
          error={create.error}
          onRetry={share}
          storedAt={storedAt}
          resources={resources}
          keeps={`this view with its selection${isDrawing ? ', filters, pan and zoom' : ' and filters'}`}
        />
      )}
    </>
  );
}
