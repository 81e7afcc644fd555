'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { isNow } from '@/app/_ask/client-subject';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { EmptyState } from '@/app/_components/empty-state';
import { QueryContent } from '@/app/_components/query-content';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount } from '@/lib/format/count';
import { listStatuses } from '@/lib/views/test-client/list-statuses';
import type { MethodRow, TestClientPage } from '@/lib/views/test-client/schema';
import { ConfigurationForm } from './configuration-form';
import { RpcBlock } from './rpc-block';
import { TestServers } from './test-servers';

/** The RPCs of a client of the gRPC xDS interop tests, and the commands that change them. */
export function TestClientTab() {
  const query = useQuestion('test-client', {});
  const { subject } = useClientViewData();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <QueryContent query={query} what="the RPCs of the test client" rows={6}>
        {(page) => <Content page={page} isLive={isNow(subject) && page.source?.freshness === 'live'} />}
      </QueryContent>
    </div>
  );
}

function Content({ page, isLive }: { readonly page: TestClientPage; readonly isLive: boolean }) {
  const { source, counts, block, configuration, servers, moment } = page;
  if (source === undefined) {
    return (
      <EmptyState title="Not polled as a test client">
        A client of the gRPC xDS interop tests serves LoadBalancerStatsService beside CSDS: add its address as
        a source of the kind “Test client” under{' '}
        <Link href="/sources" className="link">
          Sources
        </Link>
        .
      </EmptyState>
    );
  }
  return (
    <>
      {moment !== undefined && moment.incomplete !== '' && (
        <div className="px-4 pt-3">
          <StaleBanner>Data of this time is incomplete: {moment.incomplete}.</StaleBanner>
        </div>
      )}
      {source.freshness !== 'live' && (
        <div className="px-4 pt-3">
          <StaleBanner>The RPCs may have changed: {source.reason}.</StaleBanner>
        </div>
      )}
      <Section title="RPCs by method and status">
        {counts === undefined ? (
          <p className="note">The source has not reported any counts yet.</p>
        ) : (
          <>
            <p className="note pb-1.5">
              <span className="font-mono break-all">{source.sourceId}</span>, counted{' '}
              <TimeAgo at={counts.at} />
              {counts.overSeconds !== undefined && `, rates over ${counts.overSeconds.toFixed(1)} s`}. Counts
              that grow as before are recorded every 10 seconds.
            </p>
            <MethodTable methods={counts.methods} />
          </>
        )}
      </Section>
      <Section title="Block of RPCs by server">
        <RpcBlock block={block} isLive={isLive} />
      </Section>
      <Section title="Servers">
        <TestServers servers={servers} isLive={isLive} />
      </Section>
      <Section title="Configuration">
        <ConfigurationForm key={configuration?.at ?? 0} configuration={configuration} isLive={isLive} />
      </Section>
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 border-b border-line px-4 py-3">
      <h2 className="pb-1 text-medium font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** One row for each method, one column for each status that any of them has; on a phone, a line for each status. */
function MethodTable({ methods }: { readonly methods: readonly MethodRow[] }) {
  const isNarrow = useIsNarrow();
  if (methods.length === 0) return <p className="note">The client has started no RPC.</p>;
  if (isNarrow) return <NarrowMethodTable methods={methods} />;
  const statuses = listStatuses(methods);
  return (
    <ScrollFrame label="RPCs by method and status, scrolled">
      <table aria-label="RPCs by method and status" className="text-right tabular-nums">
        <thead className="note">
          <tr>
            <th scope="col" className="text-left font-normal">
              Method
            </th>
            {['Started', 'In flight', ...statuses.map(({ name }) => name)].map((head) => (
              <th key={head} scope="col" className="pl-6 font-normal whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {methods.map((row) => (
            <tr key={row.method}>
              <th scope="row" className="min-w-36 py-0.5 text-left font-mono font-normal break-all">
                {row.method}
              </th>
              <Counted count={row.started} perSecond={row.startedPerSecond} />
              <Counted count={row.inFlight} />
              {statuses.map(({ code }) => {
                const found = row.statuses.find((each) => each.code === code);
                return (
                  <Counted
                    key={code}
                    count={found?.count ?? 0}
                    perSecond={found?.perSecond}
                    isError={code !== 0}
                  />
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}

function NarrowMethodTable({ methods }: { readonly methods: readonly MethodRow[] }) {
  return (
    <table aria-label="RPCs by method and status" className="w-full text-right tabular-nums">
      {methods.map((row) => (
        <tbody key={row.method}>
          <tr>
            <th scope="rowgroup" colSpan={2} className="pt-2 text-left font-mono font-normal break-all">
              {row.method}
            </th>
          </tr>
          {[
            { name: 'Started', count: row.started, perSecond: row.startedPerSecond },
            { name: 'In flight', count: row.inFlight },
            ...row.statuses.map(({ code, ...status }) => ({ ...status, isError: code !== 0 })),
          ].map(({ name, ...counted }) => (
            <tr key={name}>
              <th scope="row" className="note pl-3 text-left font-normal">
                {name}
              </th>
              <Counted {...counted} />
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

interface CountedProps {
  readonly count: number;
  readonly perSecond?: number | undefined;
  readonly isError?: boolean;
}

function Counted({ count, perSecond = 0, isError = false }: CountedProps) {
  return (
    <td className={`pl-6 whitespace-nowrap ${isError && perSecond > 0 ? 'text-nacked' : ''}`}>
      {formatCount(count)}
      {perSecond > 0 && <span className="ml-1.5 note">{perSecond.toFixed(1)}/s</span>}
    </td>
  );
}
