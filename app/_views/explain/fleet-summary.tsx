'use client';

import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import type { FleetExplanation } from '@/lib/views/explain/fleet-schema';

/** How many clients are explained, and which are left out. */
export function FleetSummary({ explanation }: { readonly explanation: FleetExplanation }) {
  const { explained, total, isComplete, configs, groupsTotal, gone, probes, moment, problems } = explanation;
  const timeZone = useTimeZone();
  const left = [
    ...(gone === 0 ? [] : [`${formatCounted(gone, 'client')} no longer reported`]),
    ...(moment === undefined || moment.unreported === 0
      ? []
      : [`${formatCounted(moment.unreported, 'client')} of which the log reports nothing then`]),
    ...(probes === 0 ? [] : [`${formatCounted(probes, 'probe')} of xdscope`]),
  ];
  return (
    <div className="min-w-0 flex-1 px-4 py-2.5">
      <p role="status">
        {isComplete
          ? `${formatCounted(explained, 'client')} with ${formatCounted(configs, 'config')}: ${formatCounted(groupsTotal, 'outcome')}.`
          : `${formatCount(explained)} of ${formatCounted(total, 'client')} explained, ${formatCounted(groupsTotal, 'outcome')} so far.`}
      </p>
      {moment !== undefined && (
        <p className="note">
          At {formatExactTime(moment.at, timeZone)}. The filter selects clients by what they are now.
          {moment.incomplete > 0 &&
            ` Of ${formatCounted(moment.incomplete, 'client')}, a part before that time is not in the log.`}
        </p>
      )}
      {left.length > 0 && <p className="note">Left out: {left.join('; ')}.</p>}
      {problems.map((problem) => (
        <p key={problem} className="text-small text-nacked">
          {problem}
        </p>
      ))}
    </div>
  );
}
