'use client';

import Link from 'next/link';
import type { Issue } from '@/lib/api/issues';
import { formatCount, formatCounted } from '@/lib/format/count';
import { clientHref } from '../client-href';
import { NameText } from '../name-text';
import { StatusMark } from '../status-mark';
import { CauseChain } from './cause-chain';
import { IssueDiff } from './issue-diff';
import { evidenceHref, issueHref } from './issue-href';
import { MuteControl } from './mute-control';
import { SeverityMark } from './severity-mark';
import { SinceText } from './since-text';

const clientsNamed = 3;

/** What is broken, for whom, since when and why, with one click to the evidence. */
export function IssueCard({ issue }: { readonly issue: Issue }) {
  const { severity, title, impact, since, resolvedAt, state, nextStep, evidence } = issue;
  return (
    <article aria-label={title} className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
        {state === 'resolved' ? (
          <StatusMark status="ACKED" word="Resolved" className="w-[5.25rem]" />
        ) : (
          <SeverityMark severity={severity} />
        )}
        <h3 className="min-w-0 flex-1 basis-64 font-semibold wrap-anywhere">
          <Link href={issueHref(issue.id)} className="hover:underline">
            {impact.text}
          </Link>
        </h3>
        {since !== null && <SinceText since={since} until={resolvedAt} />}
      </div>
      <p className="flex min-w-0 flex-wrap gap-x-2.5 gap-y-0.5 text-medium">
        <span className="min-w-0 wrap-anywhere">{title}</span>
        <ClientNames issue={issue} />
        <RequestShare issue={issue} />
      </p>
      <CauseChain issue={issue} />
      {issue.kind === 'nack' && <IssueDiff groupId={issue.id} />}
      {state !== 'resolved' && (
        <p className="text-small">
          <span className="note">Next step: </span>
          {nextStep}
        </p>
      )}
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1">
        {evidence.map(({ label, target }) => (
          <Link
            key={label}
            href={evidenceHref(target)}
            className="inline-flex min-h-6 items-center text-medium link"
          >
            {label}
          </Link>
        ))}
        {state !== 'resolved' && <MuteControl issue={issue} />}
      </div>
    </article>
  );
}

function ClientNames({ issue: { clients } }: { readonly issue: Issue }) {
  const named = clients.items.slice(0, clientsNamed);
  const others = clients.total - named.length;
  if (clients.total === 0) return null;
  return (
    <span className="flex min-w-0 flex-wrap gap-x-2 note">
      {clients.total > 1 && <span>{formatCounted(clients.total, 'client')}:</span>}
      {named.map(({ clientId, nodeId }) => (
        <Link
          key={clientId}
          href={clientHref(clientId)}
          className="inline-flex min-h-7 min-w-0 items-center link-hover"
        >
          <NameText name={nodeId} />
        </Link>
      ))}
      {others > 0 && <span>and {formatCount(others)} more</span>}
    </span>
  );
}

function RequestShare({ issue: { requests } }: { readonly issue: Issue }) {
  if (requests === null || requests.share === null) return null;
  const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });
  return (
    <span
      className="note"
      title={`${formatCount(Number(requests.count))} of ${formatCount(Number(requests.ofAll))} requests that clients reported in the 10 minutes before the onset`}
    >
      {requests.count === '0'
        ? 'no requests measured before the onset'
        : `${percent.format(requests.share)} of the measured requests`}
    </span>
  );
}
