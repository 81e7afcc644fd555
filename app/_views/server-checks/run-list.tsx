import Link from 'next/link';
import { Panel } from '@/app/_components/panel';
import { TimeAgo } from '@/app/_components/time-ago';
import { describeRun } from '@/lib/views/server-checks/describe-run';
import type { CheckRunSummary } from '@/lib/views/server-checks/schema';
import { serverChecksHref } from './search-params';

export function RunList({ runs }: { readonly runs: readonly CheckRunSummary[] }) {
  return (
    <Panel
      title="Runs"
      vantage="of this xdscope, newest first; 50 are kept besides those that were shared"
      flush
    >
      <ul className="divide-y divide-line">
        {runs.map((run) => (
          <li key={run.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-1.5">
            <Link
              href={serverChecksHref({ run: run.id })}
              className="link-quiet font-mono break-words"
              prefetch={false}
            >
              {run.server}
            </Link>
            <TimeAgo at={run.startedAt} className="note" />
            <span className="note">{run.state}</span>
            {run.isShared && <span className="note">shared</span>}
            <span className="min-w-0 basis-full note sm:basis-auto">{describeRun(run)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
