'use client';

import { ExactTime } from '@/app/_components/exact-time';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { StaleBanner } from '@/app/_components/stale-banner';
import { formatRequest } from '@/lib/explain/format-request';
import type { SharedFleetExplanation } from '@/lib/views/explain/fleet-schema';
import { FleetOutcomes } from './fleet-outcomes';
import { FleetSummary } from './fleet-summary';
import { textsOfRequest } from './search-params';

/** An answer as it was when it was shared. The page reads nothing else. */
export function SharedOutcomes({ shared: { q, explanation } }: { readonly shared: SharedFleetExplanation }) {
  const { request, at } = explanation;
  return (
    <PageBody>
      <PageHead
        title="Explain"
        vantage="by the config in effect at each client; load reports do not count here"
      />
      <StaleBanner tone="notice">
        <strong className="font-semibold">Stored:</strong> the answer of{' '}
        <ExactTime at={at} className="font-medium" />, for {q === '' ? 'all clients' : `the clients of ${q}`},
        without the credentials of the request. Nothing here changes; the links lead to the clients of today.
      </StaleBanner>
      <section
        aria-label="The request and its outcomes"
        className="overflow-hidden rounded-lg border border-line bg-raised"
      >
        <p className="border-b border-line px-4 py-2.5 font-mono text-medium wrap-anywhere">
          {formatRequest(request)}
        </p>
        <div className="border-b border-line">
          <FleetSummary explanation={explanation} />
        </div>
        <FleetOutcomes explanation={explanation} texts={textsOfRequest(request)} at="" />
      </section>
    </PageBody>
  );
}
