'use client';

import dynamic from 'next/dynamic';
import Link from 'next/link';
import { type ReactNode, useMemo, useState } from 'react';
import { eventsQuestion, troubledQuestion } from '@/app/_ask/common-questions';
import { useItems, useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { clientHref } from '@/app/_components/client-href';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { FileButton } from '@/app/_components/file-button';
import { FreshnessMark } from '@/app/_components/freshness-mark';
import { useImportQueue } from '@/app/_components/imports/import-queue';
import { NameText } from '@/app/_components/name-text';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { Skeleton } from '@/app/_components/skeleton';
import { SourceMark } from '@/app/_components/source-mark';
import { StartLabButton } from '@/app/_components/start-lab-button';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { WaitingSummaryText } from '@/app/_components/waiting-text';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { formatCount, formatCounted } from '@/lib/format/count';
import { knownUntil } from '@/lib/views/client/known-until';
import { formatPartial } from '@/lib/views/fleet/fleet-freshness';
import { noCounts } from '@/lib/views/fleet/fleet-tally';
import type { FleetClient } from '@/lib/views/fleet/schema';
import { buildOverview, describeCoverage } from '@/lib/views/overview/build-overview';
import type { Source } from '@/lib/views/sources/schema';
import { EventsList } from './events-list';
import { FleetStripPanel } from './fleet-strip';
import { IssueList } from './issue-list';
import { OverviewTiles } from './overview-tiles';

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
          age={events.data && (overview.events[0]?.at ?? null)}
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

/** Its code is loaded when it is opened. */
const AddSourceDialog = dynamic(() =>
  import('../sources/add-source-dialog').then(({ AddSourceDialog }) => AddSourceDialog),
);

/** Three ways to get data, for a server that has neither sources nor clients. */
function FirstSteps() {
  const { give } = useImportQueue();
  const [isAdding, setAdding] = useState(false);
  return (
    <section aria-label="First steps" className="grid gap-3 md:grid-cols-3">
      <Way
        title="Drop a config dump"
        text="Drop files on any page, or choose them: Envoy config dumps, CSDS responses, xDS resources, gRPC bootstraps or xdscope recordings. Nothing leaves this server."
      >
        <FileButton icon="plus" isMultiple onChoose={give}>
          Choose files
        </FileButton>
      </Way>
      <Way
        title="Add a source"
        text="Connect to the CSDS of a gRPC client, to the admin interface of an Envoy, to istiod, or as a probe to an ADS server."
      >
        <Button icon="plus" onPress={() => setAdding(true)}>
          Add a source
        </Button>
      </Way>
      <Way
        title="Start the lab"
        text="A mesh on this machine: a management server, backends in several localities, and real gRPC clients, with faults to inject."
      >
        <StartLabButton />
      </Way>
      {isAdding && <AddSourceDialog isOpen onClose={() => setAdding(false)} />}
    </section>
  );
}

interface WayProps {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

function Way({ title, text, children }: WayProps) {
  return (
    <div className="flex flex-col items-start gap-2 p-4 card">
      <h2 className="text-[1.0714rem] font-semibold">{title}</h2>
      <p className="flex-1 text-muted">{text}</p>
      {children}
    </div>
  );
}

const shownMost = 12;
const severity: readonly Source['state'][] = ['down', 'connecting', 'paused', 'up'];

/** Sources by state, worst first. */
function SourceAges({ sources }: { readonly sources: readonly Source[] }) {
  if (sources.length === 0) {
    return (
      <EmptyState title="No sources configured">
        <Link href="/sources" className="link">
          Add a source
        </Link>
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="grid gap-x-6 py-1.5 sm:grid-cols-2">
        {[...sources]
          .sort(compareStaleness)
          .slice(0, shownMost)
          .map(({ id, label, state, lastSuccessAt, members }) => (
            <li key={id} className="flex min-w-0 items-center gap-3 px-4 py-1">
              <span className="w-20 shrink-0">
                <SourceMark state={state} />
              </span>
              <span className="min-w-0 flex-1">
                <NameText name={label} />
              </span>
              {members === undefined ? (
                <TimeAgo at={lastSuccessAt} className="note" />
              ) : (
                <span className="note">
                  {formatCount(members.up)} of {formatCounted(members.total, 'target')} up
                </span>
              )}
            </li>
          ))}
      </ul>
      {sources.length > shownMost && (
        <p className="border-t border-line px-4 py-2">
          <Link href="/sources" className="link">
            All {formatCount(sources.length)} sources
          </Link>
        </p>
      )}
    </>
  );
}

/** Connected sources are sorted by name, because their ages change every second. */
function compareStaleness(a: Source, b: Source): number {
  return (
    severity.indexOf(a.state) - severity.indexOf(b.state) ||
    (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)
  );
}

/** Clients with a resource that warms or a response without an answer. */
const waitingFilter = 'is=waiting fresh!=gone';

/** The fleet table shows more, with filters. */
const mostWaiting = 20;

/** Clients with resources that warm, or with responses without an answer. */
function WaitingPanel() {
  const fleet = useQuestion('fleet', { q: waitingFilter, sort: 'status', limit: mostWaiting });
  return (
    <Panel
      title="Warming and unanswered"
      vantage="resources that are not in use yet, and responses without an answer"
      age={fleet.data && (fleet.data.newestAt ?? null)}
      flush
    >
      <QueryContent query={fleet} what="the clients" rows={3}>
        {({ items, lines }) => (
          <>
            <ul className="divide-y divide-line">
              {items.map(
                (line) =>
                  line.kind === 'client' && (
                    <li key={line.client.id} className="flex flex-col gap-1 px-4 py-2.5">
                      <WaitingClient client={line.client} />
                    </li>
                  ),
              )}
            </ul>
            {lines > items.length && (
              <p className="border-t border-line px-4 py-2.5">
                <Link href={`/clients?q=${encodeURIComponent(waitingFilter)}`} className="link">
                  All {formatCount(lines)}
                </Link>
              </p>
            )}
          </>
        )}
      </QueryContent>
    </Panel>
  );
}

function WaitingClient({ client }: { readonly client: FleetClient }) {
  const { id, nodeId, scope, waiting = [], freshness } = client;
  return (
    <>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
        <Link href={clientHref(id)} className="min-w-0 font-medium hover:underline">
          <NameText name={nodeId} />
          {scope !== '' && <span className="note"> {scope}</span>}
        </Link>
        {freshness !== 'live' && <FreshnessMark client={client} />}
      </div>
      {waiting.map((each) => (
        <p key={each.state} className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-small">
          <StatusMark status={each.state} />
          <WaitingSummaryText waiting={each} until={knownUntil(client)} className="min-w-0 wrap-anywhere" />
        </p>
      ))}
    </>
  );
}
