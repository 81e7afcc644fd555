import { Icon } from '@/app/_components/icon';
import { TimeAgo } from '@/app/_components/time-ago';
import type { Report } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';

const sides = { client: "the client's word", 'control-plane': "the control plane's word" } as const;

interface ReportLinesProps {
  readonly reports: readonly Report[];
  /** The words are of a stored moment: nothing is live. */
  readonly isFrozen: boolean;
}

/** Who tells of this client, over what, and how fresh each one's word is: one line each. */
export function ReportLines({ reports, isFrozen }: ReportLinesProps) {
  return (
    <ul aria-label="Sources that tell of this client" className="flex flex-col gap-0.5 text-[0.8571rem]">
      {reports.map((report) => (
        <li key={`${report.sourceId} ${report.side}`} className="flex min-w-0 flex-wrap items-center gap-x-2">
          <FreshnessWord report={report} isFrozen={isFrozen} />
          <span className="font-mono break-all">{report.sourceId}</span>
          <span className="text-muted">
            {report.vantage === 'lrs'
              ? 'load reports, newest '
              : `${sides[report.side]}, ${formatCounted(report.resources, 'resource')}, changed `}
            <TimeAgo iso={report.lastChangedAt} />
          </span>
          {report.freshness !== 'live' && report.reason !== '' && (
            <span className="min-w-0 break-words text-timeout">{report.reason}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function FreshnessWord({ report, isFrozen }: { readonly report: Report; readonly isFrozen: boolean }) {
  switch (report.freshness) {
    case 'live':
      return (
        <span className="inline-flex items-center gap-1 text-acked">
          <Icon name="check" sizePx={12} />
          {isFrozen ? 'was live' : 'live'}
        </span>
      );
    case 'stale':
      return (
        <span className="inline-flex items-center gap-1 whitespace-nowrap text-timeout">
          <Icon name="warning" sizePx={12} />
          {isFrozen ? 'was stale' : 'stale'}, last told{' '}
          <TimeAgo iso={report.lastSeenAt} never="before this start of xdscope" />
        </span>
      );
    case 'gone':
      return (
        <span className="inline-flex items-center gap-1 whitespace-nowrap text-timeout">
          <Icon name="close" sizePx={12} />
          {isFrozen ? 'was gone' : 'gone'}
        </span>
      );
  }
}
