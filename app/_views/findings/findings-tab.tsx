'use client';

import Link from 'next/link';
import { useCallback } from 'react';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { ProfileChoice } from '@/app/_components/findings/profile-choice';
import { Icon } from '@/app/_components/icon';
import { SplitView } from '@/app/_components/inspector/split-view';
import { NameText } from '@/app/_components/name-text';
import { QueryContent } from '@/app/_components/query-content';
import { separator } from '@/app/_components/separator';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatCount, formatCounted } from '@/lib/format/count';
import { explainProfile, profileOfClient } from '@/lib/resolve/client-profile';
import { type FindingsGroup, groupFindings } from '@/lib/views/findings/group-findings';
import type { ClientFindings, KnownBugNotice } from '@/lib/views/findings/schema';
import type { PropagationRow } from '@/lib/views/propagation/schema';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import { nameOf, type Profile } from '@/lib/xds/profile';
import { InspectorSide } from '../client/inspector-side';
import { useClientViewQuery } from '../client/use-client-view-query';
import { FindingsGroupItem } from './findings-group-item';
import { findingsParams, findingsQueryOf } from './search-params';

export function FindingsTab() {
  const { client } = useClientViewData();
  const hasPropagation = useHasHistoryOf('propagation');
  const { query, setQuery, resource, openResource } = useClientViewQuery(findingsParams);
  const answer = useQuestion('findings', findingsQueryOf(query));
  const { profile } = explainProfile(query.profile || undefined, client);
  const close = useCallback(() => openResource(null), [openResource]);
  return (
    <SplitView side={resource === null ? null : <InspectorSide resource={resource} />} onClose={close}>
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        <fieldset
          aria-label="What is listed"
          className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5"
        >
          <ProfileChoice
            profile={profile}
            onChange={(chosen) =>
              setQuery({ profile: chosen === profileOfClient(client) ? '' : chosen, rule: '', skip: 0 })
            }
          />
          {answer.data !== undefined && <Summary findings={answer.data} profile={profile} />}
        </fieldset>
        {answer.data !== undefined && <Notices notices={answer.data.notices} />}
        {hasPropagation && <MismatchFindings />}
        <QueryContent query={answer} what="the findings" rows={10}>
          {(data) => <Groups findings={data} profile={profile} />}
        </QueryContent>
      </div>
    </SplitView>
  );
}

interface PartProps {
  readonly findings: ClientFindings;
  readonly profile: Profile;
}

function Summary({ findings, profile }: PartProps) {
  const { counts, profileReason: reason, isHint } = findings;
  return (
    <p className="min-w-0 note break-words">
      {formatCounted(counts.validated, 'resource')} checked by the rules of {nameOf(profile)}:{' '}
      {isHint ? (
        formatCounted(counts.ofProfile, 'hint')
      ) : (
        <>
          <Use findings={findings} profile={profile} />
          {counts.noFaultFound > 0 &&
            `; of ${formatCount(counts.noFaultFound)} without a fault, not every part is checked`}
        </>
      )}
      {separator}
      {reason}
    </p>
  );
}

/** What the client would do. Of one that is not known, it is what every client that it may be would do. */
function Use({ findings: { counts, isAssumed }, profile }: PartProps) {
  const nacked = counts.nacked[profile];
  const others = counts.validated - nacked - counts.noFaultFound;
  if (nacked > 0)
    return (
      <>
        {isAssumed ? 'every client that it may be' : 'it'} would not use{' '}
        <span className="font-medium text-nacked">{formatCount(nacked)}</span>
      </>
    );
  if (isAssumed) return 'none is rejected by all clients that it may be';
  return `it would use ${counts.noFaultFound === 0 ? 'all of them' : formatCount(others)}`;
}

/** The open group is in the URL; without one the first is open. */
const noGroup = 'none';

function Groups({ findings: { counts, isHint, isAssumed }, profile }: PartProps) {
  const { query, setQuery } = useClientViewQuery(findingsParams);
  const { ofProfile, portability } = groupFindings(counts);
  const open = query.rule === '' ? ofProfile[0]?.key : query.rule;
  const list = (groups: readonly FindingsGroup[], label: string) => (
    <ul aria-label={label} className="flex flex-col">
      {groups.map((group) => (
        <FindingsGroupItem
          key={group.key}
          group={group}
          profile={profile}
          isOpen={group.key === open}
          onToggle={() => setQuery({ rule: group.key === open ? noGroup : group.key, skip: 0 }, 'push')}
        />
      ))}
    </ul>
  );
  if (ofProfile.length === 0 && portability.length === 0) {
    return (
      <EmptyState title="No findings">
        {counts.validated === 0
          ? 'No resource content is reported, so nothing can be validated.'
          : counts.noFaultFound > 0
            ? `Not every part of ${formatCounted(counts.noFaultFound, 'resource')} is checked.`
            : 'Every profile accepts the resources as they are.'}
      </EmptyState>
    );
  }
  return (
    <>
      {ofProfile.length === 0 ? (
        <p className="px-4 py-3">
          {counts.noFaultFound === 0 && !isAssumed
            ? `No findings: ${nameOf(profile)} accepts the resources as they are.`
            : `No findings by the rules of ${nameOf(profile)}.${counts.noFaultFound === 0 ? '' : ` Not every part of ${formatCounted(counts.noFaultFound, 'resource')} is checked.`}`}
        </p>
      ) : (
        list(
          ofProfile,
          `${isHint || isAssumed ? 'Hints by the rules of' : 'Findings for'} ${nameOf(profile)}`,
        )
      )}
      {portability.length > 0 && (
        <details open={portability.some(({ key }) => key === open)} className="border-t border-line">
          <summary className="cursor-pointer px-4 py-2.5 font-medium">
            Portability{' '}
            <span className="note font-normal">
              {formatCounted(counts.findings - counts.ofProfile, 'finding')} about other clients;{' '}
              {nameOf(profile)} accepts them
            </span>
          </summary>
          {list(portability, 'Portability')}
        </details>
      )}
    </>
  );
}

/** The Propagation tab has all of them. */
const mostShown = 5;

/** Resources that change during propagation, each with its first mismatch. */
function MismatchFindings() {
  const { basePath } = useClientViewData();
  const { query } = useClientViewQuery(findingsParams);
  const { data, error, refetch } = useQuestion('propagation', { only: 'differs' });
  if (data === undefined && error !== null) {
    return <ErrorState title="Couldn’t load the propagation" error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined || data.total === 0) return null;
  const search = new URLSearchParams({ propagation: 'differs', ...(query.at !== '' && { at: query.at }) });
  return (
    <section aria-label="Differs in propagation" className="border-b border-line px-4 py-2.5">
      <h2 className="flex flex-wrap items-baseline gap-x-3 text-medium font-semibold">
        {formatCount(data.total)} {data.total === 1 ? 'resource differs' : 'resources differ'} in propagation
        <Link
          href={`${basePath}/propagation?${search}`}
          prefetch={false}
          className="text-small font-normal link"
        >
          {data.total > mostShown ? 'All of them' : 'Propagation'}
        </Link>
      </h2>
      <ul className="mt-1.5 flex flex-col gap-1.5 text-medium">
        {data.items.slice(0, mostShown).map((row) => (
          <Hop key={formatResourceRef(row)} row={row} />
        ))}
      </ul>
    </section>
  );
}

function Hop({ row }: { readonly row: PropagationRow }) {
  const { openResource } = useClientViewQuery();
  return (
    <li className="rounded-md border border-line px-3 py-2">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="font-mono text-small font-semibold">{row.firstMismatch?.finding}</span>
        <span className="note">{row.service}</span>
        <button
          type="button"
          className="min-w-0 text-left hover:underline"
          onClick={() => openResource(row)}
          title="Open in the inspector"
        >
          <NameText name={row.name} />
        </button>
      </p>
      <p className="break-words text-nacked">{row.firstMismatch?.text}.</p>
    </li>
  );
}

/** Known bugs of the client's release that it shows. */
function Notices({ notices }: { readonly notices: readonly KnownBugNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul
      aria-label="Known bugs of this client"
      className="flex flex-col gap-2 border-b border-line px-4 py-2.5"
    >
      {notices.map((notice) => (
        <Notice key={notice.id} notice={notice} />
      ))}
    </ul>
  );
}

function Notice({
  notice: { title, statement, source, since, resources, total },
}: {
  readonly notice: KnownBugNotice;
}) {
  const { openResource } = useClientViewQuery();
  return (
    <li className="flex flex-col gap-1 rounded-md border border-line px-3 py-2 text-medium">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="self-center text-timeout">
          <Icon name="warning" sizePx={13} />
        </span>
        <span className="min-w-0 font-semibold break-words">{title}</span>
        <span className="note">
          Known bug of this client, since <TimeAgo at={since} />
        </span>
      </p>
      <p className="break-words">{statement}</p>
      <ul aria-label="Resources concerned" className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
        {resources.map((resource) => (
          <li key={formatResourceRef(resource)} className="flex min-w-0 items-baseline gap-x-1.5">
            <span className="note">{resource.service}</span>
            <button
              type="button"
              className="min-w-0 text-left hover:underline"
              onClick={() => openResource(resource)}
              title="Open in the inspector"
            >
              <NameText name={resource.name} />
            </button>
          </li>
        ))}
        {total > resources.length && (
          <li className="note">and {formatCount(total - resources.length)} more</li>
        )}
      </ul>
      <p className="note break-words">{source}</p>
    </li>
  );
}
