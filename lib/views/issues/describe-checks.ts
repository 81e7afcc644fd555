import { formatCount, formatCounted } from '../../format/count';
import { formatAge } from '../../format/time-ago';
import type { EpochMs } from '../../xds/units';
import type { IssuePage } from './schema';

/** What changed within this time is checked as soon as possible. */
const usualMs = 30_000;

/** States how far the config of clients is checked for issues, and its age; empty: of all, as it is now. */
export function describeChecks({ checked, total, asOf, partly }: IssuePage['checks'], at: EpochMs): string {
  const age = at - (asOf ?? at);
  const parts = [
    ...(checked < total
      ? [`the config of ${formatCount(checked)} of ${formatCounted(total, 'client')} is checked`]
      : []),
    ...(partly.total === 0 ? [] : [describePartly(partly)]),
    ...(age > usualMs ? [`some of the config is checked as it was ${formatAge(age)} ago`] : []),
  ];
  return parts.join('; ');
}

function describePartly({ total, items }: IssuePage['checks']['partly']): string {
  const [first] = items;
  if (first === undefined || total > 1)
    return `not all listeners of ${formatCounted(total, 'client')} are checked`;
  const { unchecked, listeners, nodeId } = first;
  return `${formatCount(unchecked)} of ${formatCounted(listeners, 'listener')} of ${nodeId} ${unchecked === 1 ? 'is' : 'are'} not checked`;
}
