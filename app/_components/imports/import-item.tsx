'use client';

import Link from 'next/link';
import { ErrorLine } from '@/app/_components/error-line';
import { separator } from '@/app/_components/separator';
import { formatBytes } from '@/lib/format/bytes';
import { formatCounted } from '@/lib/format/count';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { isRunning } from '@/lib/views/sources/is-running';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../button';
import { Icon } from '../icon';
import { NameText } from '../name-text';
import { ImportProgress } from './import-progress';

/** One import: progress, result and problems. */
export function ImportItem({ item }: { readonly item: FileImport }) {
  const cancel = useCommand('DELETE imports/{id}');
  const { id, label, state, what, sizeBytes, clients, clientIds, resources, problems, reason } = item;
  const goesOn = isRunning(item);
  const isShown = state !== 'canceled' && state !== 'failed';
  const facts = [
    what,
    sizeBytes > 0 ? formatBytes(sizeBytes) : '',
    isShown && resources > 0 ? formatCounted(resources, 'resource') : '',
    isShown && clients > 0 ? formatCounted(clients, 'client') : '',
  ].filter(Boolean);
  const [first] = clientIds;
  return (
    <li className="flex flex-col gap-1.5 rounded-md border border-line px-3 py-2">
      <div className="flex items-center gap-2">
        {state === 'failed' && <Icon name="warning" />}
        <span className="min-w-0 flex-1 font-medium">
          <NameText name={label} />
        </span>
        <Button
          tone="quiet"
          icon={goesOn ? 'close' : 'trash'}
          label={goesOn ? `Cancel the import of ${label}` : `Remove ${label}`}
          isPending={cancel.isPending}
          onPress={() => cancel.mutate({ id })}
        >
          {goesOn ? 'Cancel' : 'Remove'}
        </Button>
      </div>
      <ImportProgress item={item} />
      {facts.length > 0 && <p className="note break-words">{facts.join(separator)}</p>}
      {state === 'canceled' && <p className="text-muted">Canceled.</p>}
      {state === 'failed' && <p className="break-words text-nacked">Not imported: {reason}</p>}
      <div className="flex flex-wrap gap-x-4 gap-y-1 empty:hidden">
        {first !== undefined && (
          <Link
            // Prefetching is expensive while the file is being read.
            prefetch={false}
            href={clients === 1 ? `/clients/${encodeURIComponent(first)}` : '/clients'}
            className="link-quiet"
          >
            {clients === 1 ? 'Open its graph' : `Open its ${clients} clients`}
          </Link>
        )}
        {problems > 0 && (
          <Link
            href={`/sources/imports/${encodeURIComponent(id)}`}
            className="text-timeout underline-offset-2 hover:underline"
          >
            {formatCounted(problems, 'problem')}
          </Link>
        )}
      </div>
      <ErrorLine error={cancel.error} />
    </li>
  );
}
