'use client';

import Link from 'next/link';
import { formatBytes } from '@/lib/format/bytes';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { Button } from '../button';
import { clientHref } from '../client-href';
import { Dialog } from '../dialog';
import { NameText } from '../name-text';
import { TimeAgo } from '../time-ago';

/** A file that was probably imported before, until the user decides. */
export interface RepeatedFile {
  readonly file: File;
  readonly earlier: FileImport;
}

interface RepeatedDialogProps {
  readonly repeated: RepeatedFile;
  readonly onSend: () => void;
  readonly onLeaveOut: () => void;
}

/** Asks about a file that was probably imported before, since a second import makes a second client. */
export function RepeatedDialog({ repeated: { file, earlier }, onSend, onLeaveOut }: RepeatedDialogProps) {
  const [clientId] = earlier.clientIds;
  return (
    <Dialog title="Import this file again?" isOpen onClose={onLeaveOut}>
      <p>
        A file named <NameText name={file.name} /> of the same size ({formatBytes(file.size)}) was imported{' '}
        <TimeAgo at={earlier.startedAt} />. Another import adds its clients a second time.
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
