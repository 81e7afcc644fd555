'use client';

import { useCallback } from 'react';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { FindingItem } from '@/app/_components/findings/finding-item';
import { ProfileChoice } from '@/app/_components/findings/profile-choice';
import { SplitView } from '@/app/_components/inspector/split-view';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { QueryContent } from '@/app/_components/query-content';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { separator } from '@/app/_components/separator';
import { V2Mark } from '@/app/_components/v2-mark';
import type { ClientFindings, ResourceFindings } from '@/lib/api/findings';
import { formatCount } from '@/lib/format/count';
import { explainProfile, profileOfClient } from '@/lib/resolve/client-profile';
import { isTrouble } from '@/lib/validate/reactions';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { verdictTexts } from '@/lib/view-model/findings/reaction-shape';
import { nameOf, type Profile } from '@/lib/xds/profile';
import { findingsParamsOf, findingsPerPage } from '../../client-views';
import { InspectorSide } from '../inspector-side';
import { useClientViewQuery } from '../use-client-view-query';
import { MismatchFindings } from './hop-findings';
import { Notices } from './notices';

const onlyOptions = [
  { value: 'all', label: 'All' },
  { value: 'NACK', label: 'Rejected' },
] as const;

export function FindingsTab() {
  const { client } = useClientViewData();
  const hasPropagation = useHasHistoryOf('propagation');
  const { query, setQuery, resource, openResource } = useClientViewQuery();
  const answer = useQuestion('findings', findingsParamsOf(query));
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
              setQuery({ profile: chosen === profileOfClient(client) ? '' : chosen, from: 0 })
            }
          />
          <SegmentedChoice
            label="Which findings"
            value={query.only}
            options={onlyOptions}
            onChange={(only) => setQuery({ only, from: 0 })}
          />
          {answer.data !== undefined && <Summary findings={answer.data} profile={profile} />}
        </fieldset>
        {answer.data !== undefined && <Notices notices={answer.data.notices} />}
        {hasPropagation && <MismatchFindings />}
        <QueryContent query={answer} what="the findings" rows={10}>
          {(data) => <List findings={data} profile={profile} isNext={answer.isPlaceholderData} />}
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
      {formatCount(counts.validated)} validated; {nameOf(profile)} would not use{' '}
      <span className={nacked > 0 ? 'font-medium text-nacked' : undefined}>
        {nacked === 0 ? 'none' : formatCount(nacked)}
      </span>
      {separator}
      {nameOf(profile)}: {reason}
    </p>
  );
}

function List({ findings, profile, isNext }: PartProps & { readonly isNext: boolean }) {
  const { query, setQuery } = useClientViewQuery();
  const { counts, items, total, offset } = findings;
  return (
    <div aria-busy={isNext}>
      <FindingRules
        rules={counts.byRule}
        chosen={query.rule}
        onChoose={(rule) => setQuery({ rule, from: 0 }, 'push')}
      />
      {total === 0 ? (
        <EmptyState title="No findings">
          {counts.validated === 0
            ? 'No resource content is reported, so nothing can be validated.'
            : 'No finding matches the filters.'}
        </EmptyState>
      ) : (
        <>
          <div className="flex items-center px-4 py-1.5">
            <p className="note">
              {formatCount(total)} {total === 1 ? 'resource' : 'resources'}
            </p>
            <Pager
              label="findings"
              offset={offset}
              limit={findingsPerPage}
              total={total}
              onChange={(next) => setQuery({ from: next })}
            />
          </div>
          <ul className="flex flex-col">
            {items.map((item) => (
              <Resource key={`${formatResourceRef(item)} ${item.role}`} item={item} profile={profile} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Resource({ item, profile }: { readonly item: ResourceFindings; readonly profile: Profile }) {
  const { query, setQuery, resource, openResource } = useClientViewQuery();
  const isOpen = resource !== null && resource.name === item.name && resource.typeUrl === item.typeUrl;
  return (
    <li className="flex flex-col gap-1.5 border-t border-line px-4 py-2.5">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2">
        <span className="note">{item.service}</span>
        {item.apiVersion === 'v2' && <V2Mark />}
        <button
          type="button"
          className="min-w-0 text-left hover:underline"
          onClick={() => openResource(item)}
          title="Open in the inspector"
        >
          <NameText name={item.name} maxChars={56} />
        </button>
        <span className={`text-small ${isTrouble(item.verdict) ? 'font-medium text-nacked' : 'text-muted'}`}>
          {nameOf(profile)} {verdictTexts[item.verdict]}
        </span>
        {item.isRejected && <span className="text-small text-timeout">rejected content</span>}
      </p>
      {item.clientError !== '' && (
        <p className="rounded-md bg-nacked/8 px-2 py-1 font-mono text-small break-words whitespace-pre-wrap">
          <span className="font-sans text-muted">Client: </span>
          {item.clientError}
        </p>
      )}
      <ul className="flex flex-col gap-1.5 text-medium">
        {item.findings.map((finding) => (
          <FindingItem
            key={`${finding.ruleId} ${finding.message}`}
            finding={finding}
            profile={profile}
            isShown={isOpen && query.field === finding.fieldPath && query.body === item.role}
            onShow={() =>
              setQuery(
                { resource: formatResourceRef(item), node: '', body: item.role, field: finding.fieldPath },
                'push',
              )
            }
          />
        ))}
      </ul>
    </li>
  );
}

interface FindingRulesProps {
  readonly rules: ClientFindings['counts']['byRule'];
  /** Empty: all rules. */
  readonly chosen: string;
  readonly onChoose: (ruleId: string) => void;
}

/** The broken rules with their counts; one can be chosen. */
function FindingRules({ rules, chosen, onChoose }: FindingRulesProps) {
  if (rules.length === 0) return null;
  return (
    <ul aria-label="Broken rules" className="flex flex-wrap gap-1.5 border-b border-line px-4 py-2">
      {rules.map(({ ruleId, source, findings, nacked }) => (
        <li key={ruleId}>
          <button
            type="button"
            aria-pressed={ruleId === chosen}
            onClick={() => onChoose(ruleId === chosen ? '' : ruleId)}
            title={`${source}: ${findings} findings, ${nacked} rejected`}
            className={`inline-flex items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-small hover:bg-hover ${ruleId === chosen ? 'border-accent bg-hover' : 'border-line'}`}
          >
            <span className="font-mono font-medium">{ruleId}</span>
            <span className={nacked > 0 ? 'text-nacked' : 'text-muted'}>
              {nacked > 0 ? `${formatCount(nacked)} rejected` : formatCount(findings)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
