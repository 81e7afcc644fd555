import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientReport } from '@/lib/observation/client-state';
import type { SourceDirectory } from '@/lib/observation/source-directory';
import type { ReportFreshness } from '@/lib/view-model/client/choose-report';
import type { SourceStatus } from '../source-status';

/**
 * How current a report is: as current as its source. Live means that the source answers now and its newest answer
 * names the client; everything else is shown as what it was when it was last heard, and says so.
 */
export function reportFreshness(
  report: ClientReport,
  clientId: string,
  source: SourceStatus | undefined,
  sources: Pick<SourceDirectory, 'find' | 'findFile'>,
): ReportFreshness {
  const { sourceId } = report;
  const file = sources.findFile(sourceId);
  return { ...freshnessOf(report, clientId, source, file), target: sources.find(sourceId)?.target };
}

function freshnessOf(
  report: ClientReport,
  clientId: string,
  source: SourceStatus | undefined,
  file = report.sourceId,
): ReportFreshness {
  const lastSeenAt = source?.clients.get(clientId) ?? null;
  if (report.goneAt !== null) return { freshness: 'gone', reason: report.goneReason, lastSeenAt };
  if (report.vantage === 'dump') {
    const reason = `from ${file}, as it was at ${formatIsoTime(report.lastChangedAt)}`;
    return { freshness: 'stale', reason, lastSeenAt: report.lastChangedAt };
  }
  if (source === undefined) {
    return { freshness: 'stale', reason: `${report.sourceId} is not a source of this run`, lastSeenAt };
  }
  switch (source.state) {
    case 'up':
      return lastSeenAt === null
        ? {
            freshness: 'stale',
            reason: `${report.sourceId} has not named this client since the start`,
            lastSeenAt,
          }
        : { freshness: 'live', reason: '', lastSeenAt };
    case 'paused':
      return { freshness: 'stale', reason: `${report.sourceId} is paused`, lastSeenAt };
    case 'connecting':
      return { freshness: 'stale', reason: `${report.sourceId} has not answered yet`, lastSeenAt };
    case 'down':
      return {
        freshness: 'stale',
        reason: `${report.sourceId} is down: ${source.problem?.message ?? 'no answer'}`,
        lastSeenAt,
      };
  }
}
