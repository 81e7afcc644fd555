'use client';

import { useQueries } from '@tanstack/react-query';
import Link from 'next/link';
import { useMemo, useRef } from 'react';
import type { ClientQuery } from '@/app/_ask/client-question';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { loadSeriesOptions } from '@/app/_ask/load-series';
import { useQuestion } from '@/app/_ask/use-question';
import { QueryContent } from '@/app/_components/query-content';
import { TimeAgo } from '@/app/_components/time-ago';
import { PeriodsDrawing } from '@/app/_drawings/failover/periods-drawing';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCounted } from '@/lib/format/count';
import { formatExactTime, formatShortTime } from '@/lib/format/exact-time';
import { formatIsoTime } from '@/lib/format/iso-time';
import { formatShare } from '@/lib/format/share';
import type { TrafficTurn } from '@/lib/lb/find-failovers';
import type { FlowSide } from '@/lib/views/failover/build-flow';
import { isWithoutHistory } from '@/lib/views/failover/is-without-history';
import { layoutPeriods, periodsOf } from '@/lib/views/failover/layout-periods';
import {
  formatShares,
  type MeasuredPriorities,
  measuredUntil,
  measurePriorities,
  sharesBetween,
  sharesOfPeriod,
} from '@/lib/views/failover/measured-priorities';
import type { FailoverHistory, FailoverPeriod } from '@/lib/views/failover/periods-schema';
import { useClientViewQuery } from '../client/use-client-view-query';
import { failoverParams } from './search-params';
import { useSides } from './use-sides';

const turnWords: Readonly<Record<TrafficTurn, string>> = {
  first: 'begins',
  failover: 'failover',
  return: 'return',
  lost: 'lost',
  spill: 'spill',
  other: 'other priorities',
};

/** The newest periods are listed. */
const listed = 50;

/** Shows which priority carried traffic at which time, derived from EDS. */
export function WhatHappened({
  params,
  isStored,
}: {
  readonly params: ClientQuery<'failovers'>;
  /** A stored view contains the measurements and loads none. */
  readonly isStored: boolean;
}) {
  const { client } = useClientViewData();
  const answer = useQuestion('failovers', params);
  return (
    <QueryContent query={answer} what="the failover history" rows={3}>
      {(data) =>
        isWithoutHistory(data, client) ? null : isStored ? (
          <Reported history={data} measured={undefined} />
        ) : (
          <LiveReported history={data} />
        )
      }
    </QueryContent>
  );
}

function LiveReported({ history }: { readonly history: FailoverHistory }) {
  return <Reported history={history} measured={useMeasured(history)} />;
}

function Reported({
  history: data,
  measured,
}: {
  readonly history: FailoverHistory;
  /** undefined: not loaded completely. */
  readonly measured: MeasuredPriorities | undefined;
}) {
  // Load may be reported after the last change.
  const until = Math.max(data.to, measured === undefined ? 0 : measuredUntil(measured));
  const { query } = useClientViewQuery(failoverParams);
  const [own, other] = useSides();
  const sides = query.both ? [own, other] : [own];
  const shown = periodsOf(data.items, sides);
  const newest = shown.toReversed().slice(0, listed);
  return (
    <section aria-label="Failover history" className="mx-4 mb-4 overflow-hidden card">
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-2">
        <h2 className="text-medium font-semibold">Failover history</h2>
        <p className="note">
          derived from {own === 'envoy' ? 'EDS and the health of its hosts that the Envoy reports' : 'EDS'},
          compared with load reports; connection failures before an EDS update are not shown
          {data.hasOlder && data.beginsAt !== undefined && (
            <>
              , since <TimeAgo at={data.beginsAt} />; earlier events are not listed
            </>
          )}
          {data.cluster !== undefined && (
            <>
              ;{' '}
              <Link
                href={`/load?${new URLSearchParams({ view: 'split', client: data.clientId, cluster: data.cluster })}`}
                className="link"
              >
                expected and measured load
              </Link>
            </>
          )}
          {measured !== undefined && measured.lines.length > 0 && '; LRS: as the client reports'}
          {data.isCut && '; too many events: the newest ones are missing'}
        </p>
      </header>
      {data.items.length === 0 ? (
        <p className="px-3 py-2 text-medium text-muted">
          No endpoints recorded for {data.cluster === undefined ? 'a cluster' : `"${data.cluster}"`}.
        </p>
      ) : (
        <>
          <Periods periods={shown} sides={sides} measured={measured} until={until} />
          <ol className="divide-y divide-line">
            {newest.map((period, at) => (
              <Period
                key={`${period.fromAt} ${period.turn}`}
                period={period}
                sides={sides}
                reported={formatPeriodShares(shown, shown.length - 1 - at, measured, until)}
              />
            ))}
          </ol>
          {shown.length > newest.length && (
            <p className="px-3 py-1.5 note">
              {formatCounted(shown.length - newest.length, 'earlier period')} not listed.
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** undefined until all parts are loaded. */
function useMeasured({ clientId, items, to }: FailoverHistory): MeasuredPriorities | undefined {
  const from = items[0]?.fromAt ?? to;
  const clusters = [...new Set(items.flatMap(({ places }) => places?.map(({ cluster }) => cluster) ?? []))];
  const params = {
    by: 'locality',
    client: clientId,
    from,
    to: '',
    limit: 1_000,
  } as const;
  const queries = clusters.map((cluster) => loadSeriesOptions({ ...params, cluster, measure: 'requests' }));
  return useQueries({
    queries,
    combine: (answers) => {
      const loads = answers.flatMap(({ data }, at) => {
        const cluster = clusters[at];
        return data === undefined || cluster === undefined ? [] : [{ cluster, answer: data }];
      });
      return loads.length < answers.length ? undefined : measurePriorities(items, loads);
    },
  });
}

/** Empty: nothing measured. A lasting period extends beyond the answer that reports it. */
function formatPeriodShares(
  items: readonly FailoverPeriod[],
  index: number,
  measured: MeasuredPriorities | undefined,
  until: number,
): string {
  const period = items[index];
  if (period === undefined) return '';
  const isOpen = period.toAt === undefined;
  const live = isOpen && measured !== undefined ? sharesBetween(measured, period.fromAt, until) : [];
  return formatShares(live.length > 0 ? live : sharesOfPeriod(items, index), period.priorities);
}

interface PeriodsProps {
  readonly periods: readonly FailoverPeriod[];
  readonly sides: readonly FlowSide[];
  readonly measured: MeasuredPriorities | undefined;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** A component of its own, so that the width is measured when the history is there. */
function Periods({ periods, sides, measured, until }: PeriodsProps) {
  const timeZone = useTimeZone();
  const holder = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(holder);
  const layout = useMemo(
    () => (widthPx === 0 ? null : layoutPeriods(periods, until, widthPx, sides, measured)),
    [periods, sides, measured, until, widthPx],
  );
  return (
    // The padding must be outside of the measured element.
    <div className="px-3 py-3">
      <div ref={holder} className="min-w-0">
        {layout !== null && (
          <PeriodsDrawing
            layout={layout}
            label={`Which priority carried traffic when: ${formatCounted(periods.length, 'period')}`}
            formatTime={(at) => formatShortTime(at, until, timeZone)}
          />
        )}
      </div>
    </div>
  );
}

interface PeriodProps {
  readonly period: FailoverPeriod;
  readonly sides: readonly FlowSide[];
  /** The measured shares; empty: none. */
  readonly reported: string;
}

function Period({ period, sides, reported }: PeriodProps) {
  const timeZone = useTimeZone();
  const { snapshotAt } = useClientViewData();
  const { setQuery } = useClientViewQuery(failoverParams);
  const when = formatExactTime(period.fromAt, timeZone);
  const { turn, fromAt, priorities, grpc, envoy, envoySentences, grpcSentences, measured } = period;
  const shares = priorities.flatMap((name, at) => (envoy[at] ? [`${name} ${envoy[at]}%`] : []));
  const why = turn === 'spill' || sides[0] === 'envoy' ? envoySentences : grpcSentences;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-1.5 text-medium">
      {snapshotAt === null ? (
        <button
          type="button"
          title="Show this time"
          onClick={() => setQuery({ at: formatIsoTime(fromAt) }, 'push')}
          className="tabular-nums link"
          suppressHydrationWarning
        >
          {when}
        </button>
      ) : (
        <span className="tabular-nums" suppressHydrationWarning>
          {when}
        </span>
      )}
      <span className={`font-semibold ${turn === 'failover' || turn === 'lost' ? 'text-nacked' : ''}`}>
        {turnWords[turn]}
      </span>
      {sides.includes('grpc') && <span>gRPC: {grpc ?? 'none'}</span>}
      {sides.includes('envoy') && (
        <span>Envoy: {envoy.length === 0 ? 'not known' : shares.join(', ') || 'none'}</span>
      )}
      {reported !== '' && (
        <span
          title={
            measured === undefined ? undefined : `Completed requests by locality: ${sayShares(measured)}`
          }
        >
          measured: <span className="font-medium">{reported}</span>
        </span>
      )}
      <span className="min-w-0 note">{why.join('; ')}.</span>
    </li>
  );
}

function sayShares(measured: NonNullable<FailoverPeriod['measured']>): string {
  return measured
    .map(
      ({ cluster, locality, share }) =>
        `${cluster === undefined ? '' : `${cluster} `}${locality} ${formatShare(share)}`,
    )
    .join(', ');
}
