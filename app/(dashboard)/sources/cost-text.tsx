import { useClockText } from '@/app/_hooks/use-clock-text';
import type { SourceCostShown } from '@/lib/api/schema';
import { describeCost, describeSlowed } from '@/lib/view-model/sources/describe-cost';

/** What polling costs the target of a source, and which requests follow more slowly than their interval. */
export function CostText({ cost }: { readonly cost: SourceCostShown }) {
  const text = useClockText((now) => describeCost(cost, now));
  return (
    <>
      {cost.slowed.map((slowed) => (
        <p key={slowed.what} className="break-words text-timeout">
          {describeSlowed(slowed)}
        </p>
      ))}
      {/* The server's clock differs from the browser's. */}
      <p className="text-small break-words text-muted" suppressHydrationWarning>
        {text}
      </p>
    </>
  );
}
