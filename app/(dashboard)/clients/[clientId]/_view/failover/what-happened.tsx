'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useMemo, useRef } from 'react';
import { browserTimeZone } from '@/app/_components/browser-time-zone';
import { ErrorState } from '@/app/_components/error-state';
import { TimeAgo } from '@/app/_components/time-ago';
import { PeriodsDrawing } from '@/app/_drawings/failover/periods-drawing';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import type { FailoversQueryOptions } from '@/app/_hooks/failover-queries';
import type { FailoverHistory, FailoverPeriod } from '@/lib/api/failovers';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime } from '@/lib/format/exact-time';
import type { TrafficTurn } from '@/lib/lb/find-failovers';
import { layoutPeriods } from '@/lib/view-model/failover/layout-periods';
import { useClientViewQuery } from '../use-client-view-query';

const turnWords: Readonly<Record<TrafficTurn, string>> = {
  first: 'begins',
  failover: 'failover',
  return: 'return',
  lost: 'lost',
  spill: 'spill',
  other: 'other priorities',
};

/** The newest so many are listed. */
const listed = 50;

/** Which priority carried traffic when, by what EDS told the client. */
export function WhatHappened({ options }: { readonly options: FailoversQueryOptions }) {
  const answer = useQuery(options);
  const { data } = answer;
  if (data === undefined) {
    return answer.isError ? (
      <ErrorState
        title="What happened could not be read"
        error={answer.error}
        onRetry={() => void answer.refetch()}
      />
    ) : null;
  }
  const newest = data.items.toReversed().slice(0, listed);
  return (
    <section
      aria-label="What happened"
      className="mx-4 mb-4 overflow-hidden rounded-lg border border-line bg-raised"
    >
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-2">
        <h2 className="text-[0.9286rem] font-semibold">What happened</h2>
        <p className="text-[0.8571rem] text-muted">
          by what EDS told the client, and beside it where its load reports say that requests went:
          connections that broke before that are not in it
          {data.hasOlder && data.beginsAt !== null && (
            <>
              , since <TimeAgo iso={data.beginsAt} />: what the log tells of before is not looked through here
            </>
          )}
          {data.cluster !== null && (
            <>
              ;{' '}
              <Link
                href={`/load?${new URLSearchParams({ view: 'split', client: data.clientId, cluster: data.cluster })}`}
                className="text-accent underline underline-offset-2"
              >
                expected and measured load
              </Link>
            </>
          )}
          {data.isCut && '; the log holds more of this client than is read: the newest part is missing'}
        </p>
      </header>
      {data.items.length === 0 ? (
        <p className="px-3 py-2 text-[0.9286rem] text-muted">
          The log tells of no endpoints of {data.cluster === null ? 'a cluster' : `"${data.cluster}"`} yet.
        </p>
      ) : (
        <>
          <Periods history={data} />
          <ol className="divide-y divide-line">
            {newest.map((period) => (
              <Period key={`${period.fromAt} ${period.turn}`} period={period} />
            ))}
          </ol>
          {data.total > newest.length && (
            <p className="px-3 py-1.5 text-[0.8571rem] text-muted">
              {formatCounted(data.total - newest.length, 'earlier period')} before these.
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** Mounted with the history: its room is measured once it is there. */
function Periods({ history }: { readonly history: FailoverHistory }) {
  const holder = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(holder);
  const layout = useMemo(
    () => (widthPx === 0 ? null : layoutPeriods(history.items, Date.parse(history.to), widthPx)),
    [history, widthPx],
  );
  return (
    // The drawing leaves the padding free.
    <div className="px-3 py-3">
      <div ref={holder} className="min-w-0">
        {layout !== null && (
          <PeriodsDrawing
            layout={layout}
            label={`Which priority carried traffic when: ${formatCounted(history.total, 'period')}`}
          />
        )}
      </div>
    </div>
  );
}

function Period({ period }: { readonly period: FailoverPeriod }) {
  const { setQuery } = useClientViewQuery();
  const { turn, fromAt, priorities, grpc, envoy, envoySentences, grpcSentences, measured } = period;
  const shares = priorities.flatMap((name, at) => (envoy[at] ? [`${name} ${envoy[at]} %`] : []));
  const why = turn === 'spill' ? envoySentences : grpcSentences;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-1.5 text-[0.9286rem]">
      <button
        type="button"
        title="Show this moment"
        onClick={() => setQuery({ at: fromAt }, 'push')}
        className="tabular-nums text-accent underline underline-offset-2"
        suppressHydrationWarning
      >
        {formatExactTime(Date.parse(fromAt), browserTimeZone())}
      </button>
      <span className={`font-semibold ${turn === 'failover' || turn === 'lost' ? 'text-nacked' : ''}`}>
        {turnWords[turn]}
      </span>
      <span>gRPC: {grpc ?? 'nobody'}</span>
      <span>Envoy: {shares.join(', ') || 'nobody'}</span>
      {measured !== undefined && (
        <span title="By the client’s load reports (LRS): requests that ended">
          Measured:{' '}
          {measured
            .map(({ locality, share }) => `${locality} ${(share * 100).toFixed(share < 0.01 ? 1 : 0)} %`)
            .join(', ')}
        </span>
      )}
      <span className="min-w-0 text-[0.8571rem] text-muted">{why.join('; ')}.</span>
    </li>
  );
}
