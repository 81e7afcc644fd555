'use client';

import { useMemo } from 'react';
import { eventsQuestion, troubledQuestion } from '@/app/_ask/common-questions';
import { useItems, useQuestion } from '@/app/_ask/use-question';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatPartial } from '@/lib/view-model/fleet/fleet-freshness';
import { noCounts } from '@/lib/view-model/fleet/fleet-tally';
import { buildOverview, describeCoverage } from '@/lib/view-model/overview/build-overview';
import { ErrorState } from '../../_components/error-state';
import { Panel } from '../../_components/panel';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { Skeleton } from '../../_components/skeleton';
import { useLiveStream } from '../../_stream/use-live-stream';
import { EventsList } from './events-list';
import { FirstSteps } from './first-steps';
import { FleetStripPanel } from './fleet-strip';
import { IssueList } from './issue-list';
import { OverviewTiles } from './overview-tiles';
import { SourceAges } from './source-ages';
import { WaitingPanel } from './waiting-panel';

const none: readonly never[] = [];
const noClients = { items: [], total: noCounts() };

export function OverviewPage() {
  useLiveStream('fleet', 'sources');
  const fleet = useQuestion('fleet', troubledQuestion);
  const sources = useItems('sources', {});
  const events = useItems('events', eventsQuestion);
  const health = useQuestion('health', {});
  const overview = useMemo(
    () =>
      buildOverview({
        fleet: fleet.data ?? noClients,
        sources: sources.data ?? none,
        events: events.data ?? none,
      }),
    [fleet.data, sources.data, events.data],
  );
  const freshness = { newestAt: fleet.data?.newestAt ?? null, partial: formatPartial(fleet.data?.total) };

  const failed = [fleet, sources].find(({ data, error }) => data === undefined && error !== null);
  if (failed !== undefined) {
    return (
      <ErrorState
        title="The overview could not be read"
        error={failed.error}
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (fleet.data === undefined || sources.data === undefined) {
    return <Skeleton waitsFor="the clients and the sources" rows={10} />;
  }
  const { total, up } = overview.sources;
  const vantage = total === 0 ? 'no source' : `${formatCount(up)} of ${formatCounted(total, 'source')} up`;
  return (
    <PageBody>
      <PageHead title="Overview" vantage={vantage} age={freshness.newestAt} partial={freshness.partial} />
      {total === 0 && overview.clients.total === 0 && <FirstSteps />}
      <OverviewTiles overview={overview} health={health.data} />
      <FleetStripPanel />
      <div className="grid items-start gap-3 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <IssueList calmText={describeCoverage(overview)} />
          {overview.clients.waiting > 0 && <WaitingPanel />}
          <Panel title="Data sources" vantage="connections of xdscope" flush>
            <SourceAges sources={sources.data} />
          </Panel>
        </div>
        <Panel
          id="happened"
          title="Recent events"
          vantage="from the log, newest first"
          age={overview.events[0]?.at ?? null}
          flush
        >
          {events.data === undefined ? (
            <Skeleton waitsFor="the events" />
          ) : (
            <EventsList events={overview.events} />
          )}
        </Panel>
      </div>
    </PageBody>
  );
}
