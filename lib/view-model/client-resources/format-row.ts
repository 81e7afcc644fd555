import type { ResourceRowJson } from '../../api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '../../format/iso-time';
import type { ResourceRow } from '../../observation/resource-row';

export function formatRow({ ambientError, otherVersions, unanswered, ...row }: ResourceRow): ResourceRowJson {
  const { errorState, controlPlane, answer, effect } = row;
  return {
    ...row,
    lastUpdated: formatIsoTimeOrNull(row.lastUpdated),
    errorState: errorState && {
      ...errorState,
      lastUpdateAttempt: formatIsoTimeOrNull(errorState.lastUpdateAttempt),
    },
    ...(ambientError && { ambientError: { ...ambientError, since: formatIsoTime(ambientError.since) } }),
    ...(unanswered && { unanswered: { ...unanswered, at: formatIsoTime(unanswered.at) } }),
    answer: answer && { ...answer, at: formatIsoTimeOrNull(answer.at) },
    effect: effect && { ...effect, since: formatIsoTimeOrNull(effect.since) },
    ...(otherVersions && {
      otherVersions: otherVersions.map((other) => ({
        ...other,
        lastUpdated: formatIsoTimeOrNull(other.lastUpdated),
      })),
    }),
    changedAt: formatIsoTime(row.changedAt),
    controlPlane: controlPlane && { ...controlPlane, changedAt: formatIsoTime(controlPlane.changedAt) },
  };
}
