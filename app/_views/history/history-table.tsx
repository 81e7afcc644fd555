'use client';

import dynamic from 'next/dynamic';
import { useCallback, useMemo, useState } from 'react';
import type { HistoryFeed } from '@/app/_ask/use-history-feed';
import { Button } from '@/app/_components/button';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { loadOnInput } from '@/app/_components/load-on-input';
import { Skeleton } from '@/app/_components/skeleton';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { groupFacts, type HistoryFact } from '@/lib/views/history/group-facts';
import { loadReportMethod } from '@/lib/xds/load-report-method';
import { buildHistoryColumns, buildNarrowHistoryColumns, eventId } from './history-columns';

const FactSources = dynamic(() => import('./fact-sources').then(({ FactSources }) => FactSources));
loadOnInput(() => import('./fact-sources'));

interface HistoryTableProps {
  readonly feed: HistoryFeed;
  readonly withClient: boolean;
  readonly withLoad: boolean;
  readonly isFiltered: boolean;
  readonly selectedSeq: number | null;
  readonly onSelect: (seq: number) => void;
  /** Starts the list at the chosen event. */
  readonly onSeek: (seq: number) => void;
  readonly isAnchored: boolean;
  readonly onNewest: () => void;
}

export function HistoryTable(props: HistoryTableProps) {
  const { feed, withClient, withLoad, isFiltered, selectedSeq, onSelect, onSeek, isAnchored, onNewest } =
    props;
  const zone = useTimeZone();
  const isNarrow = useIsNarrow();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((seq: number) => setOpened((before) => toggled(before, seq)), []);
  const columns = useMemo(
    () =>
      isNarrow
        ? buildNarrowHistoryColumns(zone)
        : buildHistoryColumns(zone, { withClient, onToggle: toggle }),
    [isNarrow, zone, withClient, toggle],
  );
  const activate = useCallback(({ seq }: HistoryFact) => onSelect(seq), [onSelect]);
  const detail = useCallback(
    (fact: HistoryFact) => (opened.has(fact.seq) ? <FactSources fact={fact} onSelect={onSelect} /> : null),
    [opened, onSelect],
  );
  const { events } = feed;
  const facts = useMemo(
    () =>
      events && groupFacts(withLoad ? events : events.filter(({ method }) => method !== loadReportMethod)),
    [events, withLoad],
  );
  if (facts === undefined) {
    return feed.error !== null ? (
      <ErrorState title="The log could not be read" error={feed.error} onRetry={feed.refetch} />
    ) : (
      <Skeleton waitsFor="the log" rows={8} />
    );
  }
  const selected = facts.find(
    ({ seq, others }) => seq === selectedSeq || others.some((other) => other.seq === selectedSeq),
  );
  const isElsewhere = selectedSeq !== null && selected === undefined;
  return (
    <>
      {(isElsewhere || isAnchored) && (
        <p className="flex flex-wrap items-center gap-x-2 border-b border-line px-3 py-1 note">
          {isElsewhere && (
            <>
              The open event is not in these rows.
              <Button tone="quiet" className="h-6" onPress={() => onSeek(selectedSeq)}>
                Show it in the table
              </Button>
            </>
          )}
          {isAnchored && (
            <>
              The list starts in the past.
              {feed.hasNewer && (
                <Button tone="quiet" className="h-6" onPress={feed.loadNewer}>
                  Show newer events
                </Button>
              )}
              <Button tone="quiet" className="h-6" onPress={onNewest}>
                Go to newest
              </Button>
            </>
          )}
        </p>
      )}
      <DataTable
        label="Events"
        rows={facts}
        detail={opened.size === 0 ? undefined : detail}
        columns={columns}
        rowId={eventId}
        rowHeightPx={30}
        selectedId={selected === undefined ? null : eventId(selected)}
        keepsPlace
        onActivate={activate}
        onEndVisible={feed.loadOlder}
        className="flex-1"
        empty={
          <EmptyState title={isFiltered ? 'No event matches' : 'No events recorded yet'}>
            {isFiltered
              ? 'No event in the time range matches all of these filters.'
              : 'New events appear here as sources report them.'}
          </EmptyState>
        }
      />
    </>
  );
}

function toggled(seqs: ReadonlySet<number>, seq: number): ReadonlySet<number> {
  const changed = new Set(seqs);
  if (!changed.delete(seq)) changed.add(seq);
  return changed;
}
