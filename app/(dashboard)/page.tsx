import type { Metadata } from 'next';
import { writeTimeRange } from '@/lib/time/time-range';
import { getRuntime } from '@/server';
import { Prefetched } from '../_components/shell/prefetched';
import { resolveExtent } from '../_hooks/extent';
import { overviewRange } from '../_hooks/page-range';
import { eventLimit, openIssues, queryKeys, troubledQuestion } from '../_hooks/query-keys';
import { OverviewPage } from './_overview/overview-page';

export const metadata: Metadata = { title: 'Overview' };
export const dynamic = 'force-dynamic';

/** The browser asks for a time range in the URL, which depends on its time zone. */
const extent = writeTimeRange(overviewRange);

export default async function Page() {
  const { api } = getRuntime();
  const { q, sort } = troubledQuestion;
  const [fleet, health, events, sources, issues, strip] = await Promise.all([
    api.ask('fleet', { q, sort }, { params: {} }),
    api.ask('health', {}, { params: {} }),
    api.ask('events', { limit: eventLimit }, { params: {} }),
    api.ask('sources', {}, { params: {} }),
    api.ask('issues', { state: 'open' }, { params: {} }),
    api.ask('issues/strip', { from: resolveExtent(extent).from }, { params: {} }),
  ]);
  return (
    <Prefetched
      data={[
        [queryKeys.health, health],
        [queryKeys.sources, sources.items],
        [queryKeys.fleetPage(troubledQuestion, 0), fleet],
        [queryKeys.events, events.items],
        [queryKeys.issuePage(openIssues), issues],
        [queryKeys.fleetStrip(extent, null), strip],
      ]}
    >
      <OverviewPage />
    </Prefetched>
  );
}
