'use client';

import { useCallback } from 'react';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { ProfileChoice } from '@/app/_components/findings/profile-choice';
import { SplitView } from '@/app/_components/inspector/split-view';
import { QueryContent } from '@/app/_components/query-content';
import { separator } from '@/app/_components/separator';
import type { ClientFindings } from '@/lib/api/findings';
import { formatCount, formatCounted } from '@/lib/format/count';
import { explainProfile, profileOfClient } from '@/lib/resolve/client-profile';
import { type FindingsGroup, groupFindings } from '@/lib/view-model/findings/group-findings';
import { nameOf, type Profile } from '@/lib/xds/profile';
import { InspectorSide } from '../inspector-side';
import { useClientViewQuery } from '../use-client-view-query';
import { FindingsGroupItem } from './findings-group-item';
import { MismatchFindings } from './hop-findings';
import { Notices } from './notices';
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

function Summary({ findings: { counts, profileReason: reason }, profile }: PartProps) {
  const nacked = counts.nacked[profile];
  return (
    <p className="min-w-0 note break-words">
      {formatCount(counts.validated)} validated; {nameOf(profile)}{' '}
      {nacked === 0 ? (
        'would use all of them'
      ) : (
        <>
          would not use <span className="font-medium text-nacked">{formatCount(nacked)}</span>
        </>
      )}
      {separator}
      {nameOf(profile)}: {reason}
    </p>
  );
}

/** The open group is in the URL; without one the first is open. */
const noGroup = 'none';

function Groups({ findings: { counts }, profile }: PartProps) {
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
          : 'Every profile accepts the resources as they are.'}
      </EmptyState>
    );
  }
  return (
    <>
      {ofProfile.length === 0 ? (
        <p className="px-4 py-3">No findings: {nameOf(profile)} accepts the resources as they are.</p>
      ) : (
        list(ofProfile, `Findings for ${nameOf(profile)}`)
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
