'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { FindingItem } from '@/app/_components/findings/finding-item';
import { Icon } from '@/app/_components/icon';
import { NameText } from '@/app/_components/name-text';
import { Pager } from '@/app/_components/pager';
import { QueryContent } from '@/app/_components/query-content';
import { V2Mark } from '@/app/_components/v2-mark';
import { formatCount, formatCounted } from '@/lib/format/count';
import { isTrouble } from '@/lib/validate/reactions';
import type { FindingsGroup } from '@/lib/views/findings/group-findings';
import { verdictTexts } from '@/lib/views/findings/reaction-shape';
import type { ResourceFindings } from '@/lib/views/findings/schema';
import { formatResourceRef } from '@/lib/views/resources/resource-ref';
import { nameOf, type Profile } from '@/lib/xds/profile';
import { useClientViewQuery } from '../client/use-client-view-query';
import { findingsParams, findingsPerPage, findingsQueryOf } from './search-params';

interface FindingsGroupItemProps {
  readonly group: FindingsGroup;
  readonly profile: Profile;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A rule with its count; its resources are requested page by page while it is open. */
export function FindingsGroupItem({ group, profile, isOpen, onToggle }: FindingsGroupItemProps) {
  const { title, ruleId, source, findings, nacked } = group;
  return (
    <li className="border-t border-line first:border-t-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 text-left hover:bg-hover"
      >
        <span className={`self-center text-muted ${isOpen ? '' : '-rotate-90'}`}>
          <Icon name="chevron-down" sizePx={12} />
        </span>
        <span className="w-14 shrink-0 text-right font-medium tabular-nums">{formatCount(findings)}</span>
        <span className={`min-w-0 flex-1 basis-64 ${nacked > 0 ? 'text-nacked' : ''}`}>{title}</span>
        {nacked > 0 && ruleId !== '' && (
          <span className="text-small text-nacked">{formatCount(nacked)} rejected</span>
        )}
        {ruleId !== '' && <span className="font-mono text-small">{ruleId}</span>}
        <span className="note">{source}</span>
      </button>
      {isOpen && <Resources group={group} profile={profile} />}
    </li>
  );
}

function Resources({ group, profile }: Pick<FindingsGroupItemProps, 'group' | 'profile'>) {
  const { query, setQuery } = useClientViewQuery(findingsParams);
  const answer = useQuestion('findings', {
    ...findingsQueryOf(query),
    ...group.query,
    offset: query.skip,
    limit: findingsPerPage,
  });
  return (
    <div className="border-t border-line pl-4" aria-busy={answer.isPlaceholderData}>
      <QueryContent query={answer} what="the findings" rows={3}>
        {({ items, total, offset, isHint }) => (
          <>
            <div className="flex items-center px-4 py-1">
              <p className="note">{formatCounted(total, 'resource')}</p>
              <Pager
                label="findings"
                offset={offset}
                limit={findingsPerPage}
                total={total}
                onChange={(next) => setQuery({ skip: next })}
              />
            </div>
            <ul className="flex flex-col">
              {items.map((item) => (
                <FoundResource
                  key={`${formatResourceRef(item)} ${item.role}`}
                  item={item}
                  profile={profile}
                  isHint={isHint}
                />
              ))}
            </ul>
          </>
        )}
      </QueryContent>
    </div>
  );
}

interface FoundResourceProps {
  readonly item: ResourceFindings;
  readonly profile: Profile;
  readonly isHint: boolean | undefined;
}

/** A resource with its findings, and the client's own error message if it rejected the resource. */
function FoundResource({ item, profile, isHint }: FoundResourceProps) {
  const { query, setQuery, resource, openResource } = useClientViewQuery(findingsParams);
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
          <NameText name={item.name} typeUrl={item.typeUrl} />
        </button>
        <span className={`text-small ${isTrouble(item.verdict) ? 'font-medium text-nacked' : 'text-muted'}`}>
          {isHint
            ? `hints by the rules of ${nameOf(profile)}`
            : `${nameOf(profile)} ${verdictTexts[item.verdict]}`}
        </span>
        {item.isRejected && <span className="text-small text-timeout">rejected content</span>}
      </p>
      {item.clientError !== '' && (
        <p className="rounded-md bg-nacked/8 px-2 py-1 font-mono text-small break-words whitespace-pre-wrap">
          <span className="font-sans text-muted">Client: </span>
          {item.clientError}
        </p>
      )}
      {item.verdict === 'NO_FAULT_FOUND' && item.unchecked !== undefined && (
        <details className="note">
          <summary>{formatCounted(item.unchecked.length, 'part')} not checked</summary>
          <ul className="font-mono break-words">
            {item.unchecked.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </details>
      )}
      <ul className="flex flex-col gap-1.5 text-medium">
        {item.findings.map((finding) => (
          <FindingItem
            key={`${finding.ruleId} ${finding.message}`}
            finding={finding}
            profile={profile}
            isHint={isHint}
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
