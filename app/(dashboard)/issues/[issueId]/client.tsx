'use client';

import Link from 'next/link';
import { useQuestion } from '@/app/_ask/use-question';
import { formatCount } from '@/lib/format/count';
import type { Issue } from '@/lib/views/issues/schema';
import { clientHref } from '../../../_components/client-href';
import { IssueCard } from '../../../_components/issues/issue-card';
import { SinceText } from '../../../_components/issues/since-text';
import { NameText } from '../../../_components/name-text';
import { Panel } from '../../../_components/panel';
import { QueryContent } from '../../../_components/query-content';
import { PageBody } from '../../../_components/shell/page-body';
import { PageHead } from '../../../_components/shell/page-head';
import { useLiveStream } from '../../../_stream/use-live-stream';

const ends = {
  repaired: 'no longer has it',
  removed: 'the resource was removed, or the client unsubscribed',
  gone: 'no source reports the client any more',
} as const;

export function IssuePage({ issueId }: { readonly issueId: string }) {
  useLiveStream('issues');
  const issue = useQuestion('issues/{issueId}', { issueId });
  return (
    <PageBody>
      <PageHead title="Issue" vantage="from the log" age={issue.data?.since} />
      <QueryContent query={issue} what="the issue" rows={6}>
        {(found) => (
          <>
            <div className="rounded-lg border border-line bg-raised">
              <IssueCard issue={found} />
            </div>
            <ClientsPanel issue={found} />
          </>
        )}
      </QueryContent>
    </PageBody>
  );
}

function ClientsPanel({ issue: { clients, impact } }: { readonly issue: Issue }) {
  if (clients.total === 0) return null;
  return (
    <Panel
      title={`Clients ${formatCount(clients.total)}`}
      vantage={`the effective config of ${formatCount(impact.assessed)} is assessed`}
      flush
    >
      <ul className="divide-y divide-line">
        {clients.items.map(({ clientId, nodeId, isImported, since, until, end, versionInfo }) => (
          <li key={clientId} className="flex min-w-0 flex-wrap items-baseline gap-x-3 px-4 py-2">
            <Link href={clientHref(clientId)} className="min-w-0 flex-1 basis-40 link-hover">
              <NameText name={nodeId} />
            </Link>
            {versionInfo !== '' && <span className="note">version {versionInfo}</span>}
            {end !== undefined && <span className="note">{ends[end]}</span>}
            <SinceText since={since} until={until} isImported={isImported} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
