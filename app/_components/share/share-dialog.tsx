'use client';

import { CopyButton } from '@/app/_components/copy-button';
import { Dialog } from '@/app/_components/dialog';
import { ErrorState } from '@/app/_components/error-state';
import { Skeleton } from '@/app/_components/skeleton';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatCounted } from '@/lib/format/count';
import type { EpochMs } from '@/lib/xds/units';

interface ShareDialogProps {
  readonly onClose: () => void;
  /** undefined until the server has answered. */
  readonly url: string | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly storedAt: EpochMs | null;
  readonly resources: number | undefined;
  /** What else is stored, as in "this view with its selection and filters". */
  readonly keeps: string;
}

export function ShareDialog(props: ShareDialogProps) {
  const { onClose, url, error, onRetry, storedAt, resources, keeps } = props;
  return (
    <Dialog title="Permalink" isOpen onClose={onClose} widthPx={560}>
      {error !== null ? (
        <ErrorState title="Couldn’t save the snapshot" error={error} onRetry={onRetry} />
      ) : url === undefined ? (
        <Skeleton waitsFor="the permalink" rows={2} />
      ) : (
        <Stored
          href={new URL(url, window.location.origin).href}
          storedAt={storedAt}
          resources={resources}
          keeps={keeps}
        />
      )}
    </Dialog>
  );
}

interface StoredProps extends Pick<ShareDialogProps, 'storedAt' | 'resources' | 'keeps'> {
  readonly href: string;
}

function Stored({ href, storedAt, resources, keeps }: StoredProps) {
  return (
    <>
      <div className="flex items-center gap-1 rounded-md border border-line-strong bg-sunken py-1 pr-1 pl-3">
        <a href={href} className="min-w-0 flex-1 font-mono text-medium break-all link-quiet">
          {href}
        </a>
        <CopyButton text={href} label="Copy the link" />
      </div>
      <p className="text-muted">
        Snapshot saved <TimeAgo at={storedAt} className="text-text" />
        {': '}
        {resources !== undefined && (
          <>
            <span className="text-text">{formatCounted(resources, 'resource')}</span> with status, versions,
            errors and content, and{' '}
          </>
        )}
        {keeps}. It will not change, even if the mesh does.
      </p>
      <p className="note">
        Anyone with access to this xdscope can open it. Secrets were redacted before storage.
      </p>
    </>
  );
}
