import { formatCount, formatCounted } from '@/lib/format/count';
import { describeCheck } from '@/lib/views/check/describe-check';
import type { Check } from '@/lib/views/check/schema';

export function CheckSummary({ check }: { readonly check: Check }) {
  const { fleet, problems, problemsTotal } = check;
  const [first, ...others] = describeCheck(check);
  return (
    <div role="status" className="flex flex-col gap-1">
      <p
        className={`text-medium font-medium ${(fleet.holdersWouldReject ?? fleet.wouldReject) > 0 ? 'text-nacked' : ''}`}
      >
        {first}
      </p>
      {others.map((sentence) => (
        <p key={sentence} className="note">
          {sentence}
        </p>
      ))}
      {problemsTotal > 0 && (
        <details className="note">
          <summary>
            {formatCounted(problemsTotal, 'part')} of the input could not be read as resources
          </summary>
          <ul className="break-words">
            {problems.map(({ place, reason }) => (
              <li key={`${place} ${reason}`}>
                <span className="font-mono">{place || 'the input'}</span>: {reason}
              </li>
            ))}
            {problemsTotal > problems.length && (
              <li>{formatCount(problemsTotal - problems.length)} more are not listed.</li>
            )}
          </ul>
        </details>
      )}
    </div>
  );
}
