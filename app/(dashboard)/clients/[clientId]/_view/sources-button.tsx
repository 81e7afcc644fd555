'use client';

import type { ReactNode } from 'react';
import { Icon } from '@/app/_components/icon';
import { PopoverButton } from '@/app/_components/popover-button';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { useConnection } from '@/app/_stream/use-live-stream';
import type { ClientDetail } from '@/lib/api/schema';
import { formatDay } from '@/lib/format/exact-time';
import { describeSources } from '@/lib/view-model/client/describe-sources';

interface SourcesButtonProps {
  readonly client: ClientDetail;
  /** A stored view, where no report is live. */
  readonly isStored: boolean;
  readonly children: ReactNode;
}

const words = { live: 'Live', stale: 'Stale', gone: 'Disconnected' } as const;
const storedWords = { live: 'Was live', stale: 'Was stale', gone: 'Was disconnected' } as const;

/** "Live, 5 sources agree": opens the sources of the client and its details. */
export function SourcesButton({ client, isStored, children }: SourcesButtonProps) {
  const isCut = useConnection().kind === 'disconnected' && !isStored;
  const timeZone = useTimeZone();
  const { kind, text, warning } = describeSources(client);
  const isAsked = kind === 'live' && !isCut;
  const word =
    kind === 'snapshot'
      ? snapshotText(client, timeZone)
      : isStored || isCut
        ? storedWords[kind]
        : words[kind];
  return (
    <PopoverButton
      label="Sources and node"
      button={
        <>
          {isAsked && !isStored && (
            <span className="text-acked">
              <Icon name="check" sizePx={12} />
            </span>
          )}
          <span
            className={`min-w-0 truncate ${kind === 'snapshot' || isAsked || isStored ? '' : 'text-timeout'}`}
            suppressHydrationWarning
          >
            {[word, text].filter((part) => part !== '').join(', ')}
          </span>
          {warning !== '' && (
            <span className="inline-flex items-center gap-1 text-timeout">
              <Icon name="warning" sizePx={12} />
              {warning}
            </span>
          )}
        </>
      }
    >
      {children}
    </PopoverButton>
  );
}

/** The date of the newest file. */
function snapshotText({ reports }: ClientDetail, timeZone: string): string {
  const times = reports.flatMap(({ lastSeenAt }) => lastSeenAt ?? []);
  return times.length === 0 ? 'Snapshot' : `Snapshot, ${formatDay(Math.max(...times), timeZone)}`;
}
