'use client';

import Link from 'next/link';
import { useQuestion } from '@/app/_ask/use-question';
import { CopyButton } from '@/app/_components/copy-button';
import { nackHref } from '@/app/_components/nack-href';
import { separator } from '@/app/_components/separator';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import type { ResourceRowJson } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { describeRejection } from '@/lib/view-model/client/describe-rejection';

interface RejectionProps {
  readonly row: ResourceRowJson;
  /** null for a stored view, whose NACKs are of another time. */
  readonly clientId: string | null;
}

export function Rejection({ row, clientId }: RejectionProps) {
  const error = row.errorState;
  const isNack = row.clientStatus === 'NACKED';
  const { data: nacks } = useQuestion(
    'nacks',
    { client: clientId ?? '', type: row.typeUrl, resource: row.name, state: 'open', limit: 50 },
    { enabled: isNack && clientId !== null, placeholderData: undefined },
  );
  const group = nacks?.items.find(({ name }) => name === row.name);
  if (error === null) return null;
  const reason = describeRejection(row);
  return (
    <section
      aria-label={isNack ? 'Why it was rejected' : 'What went wrong'}
      className="rounded-lg border border-nacked/40 bg-nacked/8"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-3 pt-2 text-small">
        <StatusMark status={row.clientStatus} className="font-medium" />
        <span className="text-muted">
          {isNack ? 'rejected ' : ''}
          {error.versionInfo === '' ? (
            isNack && 'an unreported version'
          ) : (
            <>
              version <span className="font-mono break-all text-text">{error.versionInfo}</span>
            </>
          )}
          {error.lastUpdateAttempt !== null && (
            <>
              {separator}
              <TimeAgo at={error.lastUpdateAttempt} />
            </>
          )}
        </span>
        {group !== undefined && (
          <Link
            href={nackHref(group.id)}
            className="link-quiet"
            title="All occurrences of this NACK, with payload and field"
          >
            {group.clients.total === 1
              ? 'The NACK and its payload'
              : `Rejected by ${formatCounted(group.clients.total, 'client')}`}
          </Link>
        )}
        {reason !== '' && <CopyButton text={reason} label="Copy the reason" className="ml-auto" />}
      </header>
      <p className="max-h-60 overflow-y-auto px-3 pt-1 pb-2.5 font-mono text-small leading-relaxed break-words whitespace-pre-wrap">
        {reason === '' ? 'No error message reported.' : reason}
      </p>
    </section>
  );
}
