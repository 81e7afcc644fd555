import type { Metadata } from 'next';
import { getRuntime } from '@/server';
import { Prefetched } from '../_components/shell/prefetched';
import { eventLimit, openIssues, queryKeys, troubledQuestion } from '../_hooks/query-keys';
import { OverviewPage } from './_overview/overview-page';

export const metadata: Metadata = { title: 'Overview' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const { api } = getRuntime();
  const { q, sort } = troubledQuestion;
  const [fleet, health, events, sources, issues] = await Promise.all([
    api.ask('fleet', { q, sort }, { params: {} }),
    api.ask('health', {}, { params: {} }),
    api.ask('events', { limit: eventLimit }, { params: {} }),
    api.ask('sources', {}, { params: {} }),
    api.ask('issues', { state: 'open' }, { params: {} }),
  ]);
  return (
    <Prefetched
      data={[
        [queryKeys.health, health],
        [queryKeys.sources, sources.items],
        [queryKeys.fleetPage(troubledQuestion, 0), fleet],
        [queryKeys.events, events.items],
        [queryKeys.issuePage(openIssues), issues],
      ]}
    >
      <OverviewPage />
    </Prefetched>
  );
}
