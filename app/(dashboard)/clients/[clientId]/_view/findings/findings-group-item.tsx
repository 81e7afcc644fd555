'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { Icon } from '@/app/_components/icon';
import { Pager } from '@/app/_components/pager';
import { QueryContent } from '@/app/_components/query-content';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import type { FindingsGroup } from '@/lib/view-model/findings/group-findings';
import type { Profile } from '@/lib/xds/profile';
import { useClientViewQuery } from '../use-client-view-query';
import { FoundResource } from './found-resource';
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
        {({ items, total, offset }) => (
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
                />
              ))}
            </ul>
          </>
        )}
      </QueryContent>
    </div>
  );
}
