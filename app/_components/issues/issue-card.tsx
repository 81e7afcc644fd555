'use client';

import Link from 'next/link';
import { useId, useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { Severity } from '@/lib/issues/describe-impact';
import { endedText } from '@/lib/issues/issue-record';
import type { Issue, IssueEvidence } from '@/lib/views/issues/schema';
import { useCommand } from '../../_ask/use-command';
import { Button } from '../button';
import { clientHref } from '../client-href';
import { DiffPreview } from '../diff-preview';
import { ErrorLine } from '../error-line';
import { Icon } from '../icon';
import { nackHref } from '../nack-href';
import { NameText } from '../name-text';
import { StatusMark } from '../status-mark';
import { TimeAgo } from '../time-ago';
import { issueHref } from './issue-href';
import { SinceText } from './since-text';

const clientsNamed = 3;

/** Shows what is broken, for whom, since when and why, with one click to the evidence. */
export function IssueCard({ issue }: { readonly issue: Issue }) {
  const { severity, title, impact, since, resolvedAt, state, clients, nextStep, evidence } = issue;
  const isLasting = state === 'open' || state === 'muted';
  // What concerns no client has no impact to begin with.
  const [head, detail] = clients.total === 0 ? [title, impact.text] : [impact.text, title];
  return (
    <article aria-label={title} className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
        {state === 'resolved' ? (
          <StatusMark status="ACKED" word="Resolved" className="w-[5.25rem]" />
        ) : state === 'ended' ? (
          <StatusMark status="UNKNOWN" word="Ended" className="w-[5.25rem]" />
        ) : (
          <SeverityMark severity={severity} />
        )}
        <h3 className="min-w-0 flex-1 basis-64 font-semibold wrap-anywhere">
          <Link href={issueHref(issue.id)} className="hover:underline">
            {head}
          </Link>
        </h3>
        {since !== undefined && (
          <SinceText
            since={since}
            until={resolvedAt}
            isImported={clients.total > 0 && clients.imported === clients.total}
          />
        )}
      </div>
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 gap-y-0.5 text-medium">
        <span className="min-w-0 wrap-anywhere">{detail}</span>
        {issue.group !== undefined && (
          <span className="note">{formatCounted(issue.group.count, issue.group.noun)}</span>
        )}
        <ClientNames issue={issue} />
        <RequestShare issue={issue} />
      </p>
      <CauseChain issue={issue} />
      {issue.kind === 'nack' && <IssueDiff groupId={issue.id} />}
      {state === 'ended' && <p className="text-small">{endedText}.</p>}
      {isLasting && (
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
        {isLasting && <MuteControl issue={issue} />}
      </div>
    </article>
  );
}

function ClientNames({ issue: { clients } }: { readonly issue: Issue }) {
  const named = clients.items.slice(0, clientsNamed);
  const others = clients.total - named.length;
  if (clients.total === 0) return null;
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 note">
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

function RequestShare({ issue: { requests, impact, kind, clients } }: { readonly issue: Issue }) {
  if (requests?.share === undefined) {
    const failsRequests = impact.level === 'all-fail' || impact.level === 'some-fail';
    // The impact of failed requests states their share. A file has no load reports.
    if (!failsRequests || kind === 'load-errors' || clients.imported === clients.total) return null;
    return (
      <span className="note" title="No load report shows how many requests it concerns">
        requests before the onset not measured
      </span>
    );
  }
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

/** Push, resource, field and change, each with a link to its evidence. */
function CauseChain({ issue: { cause, impact } }: { readonly issue: Issue }) {
  return (
    <ol aria-label="Cause" className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-0.5 text-small">
      {cause.map(({ step, text, at, evidence }, index) => (
        <li key={text} className="flex min-w-0 items-center gap-1.5">
          {index > 0 && (
            <span className="text-muted">
              <Icon name="arrow-right" sizePx={11} />
            </span>
          )}
          <span className={`min-w-0 wrap-anywhere ${step === 'field' ? 'font-mono' : ''}`}>
            {evidence === undefined ? (
              text
            ) : (
              <Link href={evidenceHref(evidence)} className="inline-flex min-h-7 items-center link-hover">
                {text}
              </Link>
            )}
            {at !== undefined && (
              <>
                {' '}
                <TimeAgo at={at} />
              </>
            )}
          </span>
        </li>
      ))}
      {impact.reason !== '' && !cause.some(({ text }) => impact.reason.includes(text)) && (
        <li className="min-w-0 basis-full wrap-anywhere note">{impact.reason}</li>
      )}
    </ol>
  );
}

/** The changed lines from the payload in use to the rejected one, below a button that reads them. */
function IssueDiff({ groupId }: { readonly groupId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex flex-col items-start gap-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="min-h-7 text-small link-quiet"
      >
        {isOpen ? 'Hide the change' : 'Show the change'}
      </button>
      {isOpen && <Change groupId={groupId} />}
    </div>
  );
}

function Change({ groupId }: { readonly groupId: string }) {
  const { data, error } = useQuestion('nacks/{groupId}', { groupId });
  if (error !== null && data === undefined) return <ErrorLine error={error} />;
  if (data === undefined) return <p className="note">Reading the payloads …</p>;
  const { payload, before, group, absence } = data;
  if (payload === undefined) return <p className="note">{absence}</p>;
  if (before?.hash == null) return <p className="note">No payload was in use before the rejected one.</p>;
  return (
    <div className="w-full rounded-md border border-line bg-sunken px-3 py-2">
      <DiffPreview
        name={group.name}
        hash={payload.hash}
        before={{ hash: before.hash, version: before.versionInfo }}
        others={0}
      />
    </div>
  );
}

/** The page of the evidence, with it selected. */
function evidenceHref(evidence: IssueEvidence): string {
  switch (evidence.kind) {
    case 'nack':
      return nackHref(evidence.groupId);
    case 'resource':
      return clientHref(evidence.clientId, evidence);
    case 'resolved':
      return `${pathOf(evidence.clientId)}/resolved?listener=${encodeURIComponent(evidence.listener)}`;
    case 'propagation':
      return `${pathOf(evidence.clientId)}/propagation?propagation=differs`;
    case 'tears':
      return `${pathOf(evidence.clientId)}/resolved?list=tears`;
    case 'validation':
      return `${pathOf(evidence.clientId)}/findings`;
    case 'certificates':
      return `/clients/identity?cert=${encodeURIComponent(evidence.q)}`;
    case 'connections':
      return `${pathOf(evidence.clientId)}/connections`;
    case 'load':
      return evidence.clusterName === ''
        ? '/load'
        : `/load?cluster=${encodeURIComponent(evidence.clusterName)}`;
    case 'event':
      return `${pathOf(evidence.clientId)}/history?event=${evidence.seq}`;
    case 'source':
      return `/sources#${encodeURIComponent(evidence.sourceId)}`;
    case 'recorder':
      return '/sources#recorder';
  }
}

function pathOf(clientId: string): string {
  return `/clients/${encodeURIComponent(clientId)}`;
}

const hourMs = 3_600_000;

const periods = [
  { label: '1 hour', ms: hourMs },
  { label: '8 hours', ms: 8 * hourMs },
  { label: '1 day', ms: 24 * hourMs },
  { label: '7 days', ms: 7 * 24 * hourMs },
] as const;

/** Mutes an issue for a time, or ends it. A muted issue is not counted and raises no alert, until something joins it. */
function MuteControl({ issue: { id, mutedUntil, title } }: { readonly issue: Issue }) {
  const mute = useCommand('POST issues/{id}/mute');
  const selectId = useId();
  return (
    <span className="ml-auto flex flex-wrap items-center gap-2">
      {mute.error !== null && <ErrorLine error={mute.error} />}
      {mutedUntil === undefined ? (
        <>
          <label htmlFor={selectId} className="sr-only">
            Mute: {title}
          </label>
          <select
            id={selectId}
            value=""
            disabled={mute.isPending}
            onChange={({ target }) => {
              const chosen = periods.find(({ label }) => label === target.value);
              if (chosen !== undefined) mute.mutate({ id, until: Date.now() + chosen.ms });
            }}
            className="h-7 rounded-md border border-line bg-raised px-1.5 text-small"
          >
            <option value="" disabled>
              Mute for
            </option>
            {periods.map(({ label }) => (
              <option key={label}>{label}</option>
            ))}
          </select>
        </>
      ) : (
        <>
          <span className="note">
            muted, ends <TimeAgo at={mutedUntil} />
          </span>
          <Button tone="quiet" isPending={mute.isPending} onPress={() => mute.mutate({ id, until: null })}>
            Unmute
          </Button>
        </>
      )}
    </span>
  );
}

const marks = {
  critical: { status: 'RECEIVED_ERROR', word: 'Critical' },
  major: { status: 'NACKED', word: 'Major' },
  warning: { status: 'TIMEOUT', word: 'Warning' },
  minor: { status: 'REQUESTED', word: 'Minor' },
} as const;

function SeverityMark({ severity }: { readonly severity: Severity }) {
  return <StatusMark {...marks[severity]} className="w-[5.25rem]" />;
}
