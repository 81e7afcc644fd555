import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import type { EpochMs } from '@/lib/xds/units';

/**
 * Completes a past state that the log contains only in part: rows of the current state that have not changed since then
 * apply as well. undefined if neither state exists.
 */
export function fillFromToday(
  then: ClientState | undefined,
  today: ClientState | undefined,
  at: EpochMs,
): ClientState | undefined {
  if (today === undefined) return then;
  const reports = new Map(then?.reports);
  for (const [key, report] of today.reports) {
    if (report.firstSeenAt > at) continue;
    const known = reports.get(key);
    const resources = new Map(known?.resources);
    for (const [name, state] of report.resources) {
      if (state.changedAt <= at && !resources.has(name)) resources.set(name, state);
    }
    reports.set(key, { ...(known ?? asThen(report, at)), resources });
  }
  if (reports.size === 0) return undefined;
  return { ...(then ?? { ...today, seq: 0 }), reports };
}

function asThen(report: ClientReport, at: EpochMs): ClientReport {
  const hasEnded = report.goneAt !== null && report.goneAt <= at;
  const lastChangedAt = Math.min(report.lastChangedAt, at);
  return { ...report, lastChangedAt, ...(hasEnded ? {} : { goneAt: null, goneReason: '' }) };
}
