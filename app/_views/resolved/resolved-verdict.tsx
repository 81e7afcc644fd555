'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { Fragment, useMemo } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { Freshness } from '@/app/_components/freshness';
import { Icon } from '@/app/_components/icon';
import { StatusMark } from '@/app/_components/status-mark';
import { formatCounted } from '@/lib/format/count';
import { formatSentence } from '@/lib/format/sentence';
import { buildVerdict, type VerdictStep } from '@/lib/views/resolved/build-verdict';
import type { Resolved } from '@/lib/views/resolved/schema';
import { nameOf } from '@/lib/xds/profile';
import { RejectedList } from './rejected-list';
import { ResourceButton } from './resource-button';

export function ResolvedVerdict({ resolved }: { readonly resolved: Resolved }) {
  const { client, snapshotAt, basePath } = useClientViewData();
  const search = useSearchParams().toString();
  const verdict = useMemo(() => buildVerdict(resolved), [resolved]);
  const unreported = resolved.missing.filter(
    ({ why }) => why === 'not-reported' || why === 'unreadable',
  ).length;
  const { status, notes, profile } = resolved;
  const graphSearch = (listener: string) => {
    const next = new URLSearchParams(search);
    next.set('mark', listener);
    return next.toString();
  };
  return (
    <section aria-label="Verdict" className="flex flex-col gap-1 border-b border-line px-4 py-3">
      <p role="status" className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-[1.0714rem]">
        <StatusMark status={verdict.shape} word={verdict.word} sizePx={15} className="font-semibold" />{' '}
        {verdict.steps.map((step) => (
          <Fragment key={step.noun}>
            <Step step={step} />{' '}
            <span aria-hidden="true" className="text-muted">
              <Icon name="arrow-right" sizePx={12} />
            </span>{' '}
          </Fragment>
        ))}
        <span className={status === 'resolved' ? '' : 'min-w-0 break-words wrap-anywhere'}>
          {verdict.text}
        </span>
      </p>
      {verdict.effect !== '' && <p>{verdict.effect}</p>}
      {notes.map((note) => (
        <p key={note} className="break-words text-muted">
          {formatSentence(note)}
        </p>
      ))}
      <RejectedList rejected={resolved.rejected} />
      <div className="flex flex-wrap items-center gap-x-4">
        <Freshness
          vantage={`resolved from ${formatCounted(client.resources, 'resource')} with ${nameOf(profile)} rules${snapshotAt === null ? '' : ', as stored'}`}
          age={client.lastChangedAt}
          partial={
            unreported > 0 ? `${formatCounted(unreported, 'body', 'bodies')} not reported or unreadable` : ''
          }
        />
        {resolved.rejectedTotal > 0 && (
          <Link
            href={`${basePath}/findings?only=NACK&profile=${profile}`}
            prefetch={false}
            className="text-small link"
          >
            {nameOf(profile)} would not use {formatCounted(resolved.rejectedTotal, 'resource')}
          </Link>
        )}
        {resolved.listener !== undefined && (
          <Link
            href={`${basePath}/graph?${graphSearch(resolved.listener.name)}`}
            prefetch={false}
            className="text-small link"
          >
            Highlight in the graph
          </Link>
        )}
      </div>
    </section>
  );
}

function Step({ step: { noun, name, resource } }: { readonly step: VerdictStep }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
      <span className="text-medium whitespace-nowrap text-muted">{noun}</span>{' '}
      {resource !== undefined && <ResourceButton resource={resource} name={name} />}
      {resource === undefined && name !== '' && (
        <span className="truncate font-mono text-[0.9286em]">{name}</span>
      )}
    </span>
  );
}
