import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientReport } from '@/lib/observation/client-state';
import type { SourceDirectory } from '@/lib/observation/source-directory';
import type { ReportFreshness } from '@/lib/views/client/choose-report';
import type { SourceStatus } from '../source-status';

/** `health`: what its state means, as in "is paused". */
interface SourceHealth {
  readonly status: SourceStatus;
  readonly health: string;
}

/**
 * States how current a report is. It is live if the source answers now and its newest answer contains the client;
 * else it is stale, with the reason.
 */
export function reportFreshness(
  report: ClientReport,
  clientId: string,
  source: SourceHealth | undefined,
  sources: Pick<SourceDirectory, 'find' | 'findFile'>,
): ReportFreshness {
  const { sourceId } = report;
  const file = sources.findFile(sourceId);
  return {
    ...freshnessOf(report, clientId, source, file),
    source: sources.find(sourceId),
    notVisible: source?.status.notVisible,
  };
}

function freshnessOf(
  report: ClientReport,
  clientId: string,
  source: SourceHealth | undefined,
  file = report.sourceId,
): ReportFreshness {
  const lastSeenAt = source?.status.clients.get(clientId);
  if (report.goneAt !== null) return { freshness: 'gone', reason: report.goneReason, lastSeenAt };
  if (report.vantage === 'dump') {
    const reason = `from ${file}, as it was at ${formatIsoTime(report.lastChangedAt)}`;
    return { freshness: 'stale', reason, lastSeenAt: report.lastChangedAt };
  }
  if (source === undefined) {
    return { freshness: 'stale', reason: `${report.sourceId} is not a source of this run`, lastSeenAt };
  }
  const { status, health } = source;
  if (status.state !== 'up') {
    const problem = status.problem === null ? '' : `: ${status.problem.message}`;
    return { freshness: 'stale', reason: `${report.sourceId} ${health}${problem}`, lastSeenAt };
  }
  return lastSeenAt === undefined
    ? {
        freshness: 'stale',
        reason: `${report.sourceId} has not reported this client since the start`,
        lastSeenAt,
      }
    : { freshness: 'live', reason: '', lastSeenAt };
}
