'use client';

import { useState } from 'react';
import { Button } from '@/app/_components/button';
import { useCreatePermalink } from '@/app/_hooks/mutations';
import type { NewPermalink } from '@/lib/api/schema';
import { ShareDialog } from './share-dialog';

interface ShareButtonProps {
  /** Read when the button is pressed: the view as it is then. */
  readonly read: () => NewPermalink;
  /** Of the client; undefined while they are not known. */
  readonly resources: number | undefined;
}

/** Writes down what is on the screen, under an address that stays. */
export function ShareButton({ read, resources }: ShareButtonProps) {
  const create = useCreatePermalink();
  const [storedAt, setStoredAt] = useState<string | null>(null);

  function share() {
    setStoredAt(null);
    create.mutate(read(), { onSuccess: () => setStoredAt(new Date().toISOString()) });
  }

  return (
    <>
      <Button icon="share" onPress={share} isPending={create.isPending}>
        Share
      </Button>
      <ShareDialog
        isOpen={!create.isIdle}
        onClose={create.reset}
        url={create.data?.url}
        error={create.error}
        onRetry={share}
        storedAt={storedAt}
        resources={resources}
      />
    </>
  );
}
