'use client';

import { ExactTime } from '@/app/_components/exact-time';
import { Icon } from '@/app/_components/icon';
import { TimeAgo } from '@/app/_components/time-ago';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { useConnection } from '@/app/_stream/use-live-stream';
import { by, inTurn } from '@/lib/collections/compare';
import { compareNames } from '@/lib/format/compare-names';
import { formatCounted } from '@/lib/format/count';
import { formatDay } from '@/lib/format/exact-time';
import { findOriginalVantage, reportsResources } from '@/lib/observation/vantage';
import { describeClock } from '@/lib/views/client/describe-clock';
import type { Report } from '@/lib/views/client/schema';

const sides = { client: 'reported by the client', 'control-plane': 'reported by the control plane' } as const;
const freshnessOrder = ['live', 'stale', 'gone'] as const satisfies readonly Report['freshness'][];

/** Describes the content of a report without resources. */
function otherContent(report: Report): string {
  if (reportsResources(report)) return '';
  return findOriginalVantage(report) === 'lrs' ? 'load reports, newest ' : 'connections, changed ';
}

interface ReportLinesProps {
  readonly reports: readonly Report[];
  /** The reason shown above, which is not repeated. */
  readonly knownReason?: string;
  /** A stored view, where no report is live. */
  readonly isStored: boolean;
}

/**
 * The sources that report this client with the freshness of each report, live ones first. The order does not
 * change with updates.
 */
export function ReportLines({ reports, knownReason = '', isStored }: ReportLinesProps) {
  const sorted = [...reports].sort(
    inTurn(
      by((each) => freshnessOrder.indexOf(each.freshness)),
      by(otherContent, compareNames),
      by(({ side }) => side, compareNames),
      by(({ sourceId }) => sourceId, compareNames),
    ),
  );
  // Sources of earlier runs are folded if a live source replaces them.
  const isSuperseded = (report: Report): boolean =>
    report.freshness !== 'live' &&
    sorted.some(
      (other) =>
        other.freshness === 'live' &&
        other.side === report.side &&
        otherContent(other) === otherContent(report),
    );
  const rest = sorted.filter(isSuperseded);
  return (
    <>
      <Lines
        label="Sources that report this client"
        reports={sorted.filter((report) => !isSuperseded(report))}
        knownReason={knownReason}
        isStored={isStored}
      />
      {rest.length > 0 && (
        <details className="open:basis-full">
          <summary className="w-fit cursor-pointer rounded text-muted hover:text-text">
            {formatCounted(rest.length, 'source')} more
          </summary>
          <Lines label="More sources" reports={rest} isStored={isStored} />
        </details>
      )}
    </>
  );
}

function Lines({ label, reports, knownReason, isStored }: ReportLinesProps & { readonly label: string }) {
  return (
    <ul aria-label={label} className="flex min-w-0 flex-wrap gap-x-6 gap-y-0.5">
      {reports.map((report) => (
        <li key={`${report.sourceId} ${report.side}`} className="flex min-w-0 flex-wrap items-center gap-x-2">
          <FreshnessText report={report} isStored={isStored} />
          <span className="font-mono break-all">{report.sourceId}</span>
          <span className="text-muted">
            {otherContent(report) ||
              `${sides[report.side]}, ${formatCounted(report.resources, 'resource')}, changed `}
            <TimeAgo at={report.lastChangedAt} />
          </span>
          {describeClock(report.clockSkew) !== '' && (
            <span
              className="text-timeout"
              title="Estimated from the update times that it reports. Only reported times, such as last_updated, are corrected; the order of events stays."
            >
              {describeClock(report.clockSkew)}
            </span>
          )}
          {report.freshness !== 'live' &&
            report.vantage !== 'dump' &&
            report.reason !== '' &&
            report.reason !== knownReason && (
              <span className="min-w-0 break-words text-timeout">{report.reason}</span>
            )}
          {report.notVisible !== undefined && (
            <span className="min-w-0 basis-full break-words text-timeout">{report.notVisible}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function FreshnessText({ report, isStored }: { readonly report: Report; readonly isStored: boolean }) {
  const timeZone = useTimeZone();
  const { freshness, lastSeenAt } = report;
  const isCut = useConnection().kind === 'disconnected' && !isStored;
  if (report.vantage === 'dump' && lastSeenAt !== undefined) {
    return (
      <ExactTime at={lastSeenAt} className="text-muted">
        Snapshot, {formatDay(lastSeenAt, timeZone)}
      </ExactTime>
    );
  }
  if (freshness === 'live' && isCut) return <span className="text-timeout">was live</span>;
  if (freshness === 'live') {
    return (
      <span className="inline-flex items-center gap-1 text-acked">
        <Icon name="check" sizePx={12} />
        {isStored ? 'was live' : 'live'}
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap text-timeout">
      <Icon name={freshness === 'stale' ? 'warning' : 'close'} sizePx={12} />
      <span>
        {isStored ? `was ${freshness}` : freshness}
        {/* null: not since xdscope started. */}
        {freshness === 'stale' && lastSeenAt !== undefined && (
          <>
            , last reported <TimeAgo at={lastSeenAt} />
          </>
        )}
      </span>
    </span>
  );
}
