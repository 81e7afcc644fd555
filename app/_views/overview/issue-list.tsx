'use client';

import { useQueryState } from 'nuqs';
import { parseAsStringLiteral } from 'nuqs/server';
import { openIssues } from '@/app/_ask/common-questions';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { IssueCard } from '@/app/_components/issues/issue-card';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { useStableOrder } from '@/app/_components/use-stable-order';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { formatCount, formatCounted } from '@/lib/format/count';
import { describeChecks } from '@/lib/views/issues/describe-checks';
import type { Issue, IssuePage } from '@/lib/views/issues/schema';

/** The issues, worst impact first, as cards. */
export function IssueList({ calmText }: { readonly calmText: string }) {
  useLiveStream('issues');
  const [list, setList] = useQueryState('issues', issueListParser);
  const open = useQuestion('issues', openIssues);
  const issues = useQuestion('issues', { state: list });
  const counts = open.data?.counts;
  const label = (text: string, count: number | undefined) =>
    count === undefined ? text : `${text} ${formatCount(count)}`;
  return (
    <Panel
      title="Issues"
      vantage="from the log, worst impact first"
      age={issues.data?.at}
      partial={describePartial(issues.data)}
      actions={
        <SegmentedChoice
          label="State of the issues"
          value={list}
          options={[
            { value: 'open', label: label('Open', counts?.open) },
            { value: 'muted', label: label('Muted', counts?.muted) },
            { value: 'resolved', label: 'Ended' },
          ]}
          onChange={(value) => void setList(value)}
        />
      }
      flush
    >
      <QueryContent query={issues} what="the issues" rows={4}>
        {({ items, total }) => (
          <>
            {items.length === 0 && (
              <NoIssues list={list} calmText={calmText} isPartial={describePartial(issues.data) !== ''} />
            )}
            <Cards issues={items} list={list} />
            <More items={items} total={total} />
          </>
        )}
      </QueryContent>
    </Panel>
  );
}

function Cards({ issues, list }: { readonly issues: readonly Issue[]; readonly list: string }) {
  const { rows, handlers } = useStableOrder(issues, list);
  return (
    <ul className="divide-y divide-line" {...handlers}>
      {rows.map((issue) => (
        <li key={issue.id}>
          <IssueCard issue={issue} />
        </li>
      ))}
    </ul>
  );
}

function describePartial(page: IssuePage | undefined): string {
  if (page === undefined) return '';
  return page.restoring ? 'the log is being read' : describeChecks(page.checks, page.at);
}

function NoIssues({
  list,
  calmText,
  isPartial,
}: {
  readonly list: 'open' | 'muted' | 'resolved';
  readonly calmText: string;
  /** True if not everything was checked, as the head of the panel states. */
  readonly isPartial: boolean;
}) {
  if (list === 'open')
    return (
      <EmptyState title={isPartial ? 'No issues found so far' : 'No issues found'}>{calmText}</EmptyState>
    );
  const text =
    list === 'muted'
      ? 'Mute an issue in its card, until a time.'
      : 'Issues that end are listed here as long as the log has them.';
  return (
    <EmptyState title={list === 'muted' ? 'No muted issues' : 'No issues have ended'}>{text}</EmptyState>
  );
}

function More({ items, total }: Pick<IssuePage, 'items' | 'total'>) {
  if (total <= items.length) return null;
  return (
    <p className="border-t border-line px-4 py-2 note">
      The worst {formatCount(items.length)} of {formatCounted(total, 'issue')} are listed.
    </p>
  );
}

const issueListParser = parseAsStringLiteral(['open', 'muted', 'resolved'] as const).withDefault('open');
