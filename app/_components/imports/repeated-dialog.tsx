'use client';

import Link from 'next/link';
import { useItems } from '@/app/_ask/use-question';
import { Button } from '../button';
import { clientHref } from '../client-href';
import { Dialog } from '../dialog';
import { NameText } from '../name-text';
import { TimeAgo } from '../time-ago';
import type { GivenFiles } from './given-files';

/** A file that was imported before, until the user decides. */
export interface RepeatedFile extends GivenFiles {
  readonly importId: string;
}

interface RepeatedDialogProps {
  readonly repeated: RepeatedFile;
  readonly onSend: () => void;
  readonly onLeaveOut: () => void;
}

/** Asks about a file that was imported before, since a second import makes a second client. */
export function RepeatedDialog({ repeated: { name, importId }, onSend, onLeaveOut }: RepeatedDialogProps) {
  const { data: imports = [] } = useItems('imports', {});
  const earlier = imports.find(({ id }) => id === importId);
  const [clientId] = earlier?.clientIds ?? [];
  return (
    <Dialog title="Import this file again?" isOpen onClose={onLeaveOut}>
      <p>
        A file with the same content as <NameText name={name} /> was imported
        {earlier !== undefined && (
          <>
            {' '}
            as <NameText name={earlier.label} /> <TimeAgo at={earlier.startedAt} />
          </>
        )}
        . Another import adds its clients a second time.
      </p>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {clientId !== undefined && (
          <Link href={clientHref(clientId)} onClick={onLeaveOut} className="mr-auto link">
            Open the earlier import
          </Link>
        )}
        <Button onPress={onLeaveOut}>Skip this file</Button>
        <Button tone="accent" onPress={onSend}>
          Import again
        </Button>
      </div>
    </Dialog>
  );
}
