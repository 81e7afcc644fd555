import type { Metadata } from 'next';
import { writeTimeRange } from '@/lib/time/time-range';
import { eventsQuestion, openIssues, troubledQuestion } from '../_ask/common-questions';
import { prefetchAnswer } from '../_ask/prefetch-answer';
import { Prefetched } from '../_components/shell/prefetched';
import { overviewRange } from '../_hooks/page-range';
import { OverviewPage } from '../_views/overview/overview-page';

export const metadata: Metadata = { title: 'Overview' };
export const dynamic = 'force-dynamic';

/** The browser asks for a time range in the URL, which depends on its time zone. */
const extent = writeTimeRange(overviewRange);

export default async function Page() {
  const data = await Promise.all([
    prefetchAnswer('fleet', troubledQuestion),
    prefetchAnswer('health', {}),
    prefetchAnswer('events', eventsQuestion),
    prefetchAnswer('sources', {}),
    prefetchAnswer('issues', openIssues),
    prefetchAnswer('issues/strip', extent),
  ]);
  return (
    <Prefetched data={data}>
      <OverviewPage />
    </Prefetched>
  );
}
