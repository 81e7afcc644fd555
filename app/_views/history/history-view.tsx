'use client';

import dynamic from 'next/dynamic';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { AskTears } from '@/app/_ask/client-question';
import { useHistoryFeed, useHistoryTimeline } from '@/app/_ask/use-history-feed';
import { Button } from '@/app/_components/button';
import { SplitView } from '@/app/_components/inspector/split-view';
import { loadOnInput } from '@/app/_components/load-on-input';
import { QueryContent } from '@/app/_components/query-content';
import { TailControl } from '@/app/_components/tail-control';
import { TimeAgo } from '@/app/_components/time-ago';
import { HistoryDrawing } from '@/app/_drawings/history/history-drawing';
import type { ShownMoment } from '@/app/_drawings/history/moment-axis';
import type { DescribedTear } from '@/app/_drawings/history/tears-lane';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { formatCounted } from '@/lib/format/count';
import { everything, isSameRange } from '@/lib/time/time-range';
import type { TimeWindow } from '@/lib/views/history/collapsed-axis';
import { formatHistoryCursor } from '@/lib/views/history/history-cursor';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import type { EpochMs } from '@/lib/xds/units';
import { HistoryFilters } from './history-filters';
import { HistoryTable } from './history-table';
import type { HistorySearchState, StoredHistory } from './use-history-search';
import { useHistorySearch } from './use-history-search';
import { useHistoryWindow, useWindowTimeline } from './use-history-window';
import { useWindowTears } from './use-window-tears';

const EventDetail = dynamic(() => import('./event-detail').then(({ EventDetail }) => EventDetail));
loadOnInput(() => import('./event-detail'));

interface HistoryViewProps {
  /** null: all clients. */
  readonly clientId: string | null;
  /** null: config tears are not available. */
  readonly askTears: AskTears | null;
  /** The time that the client's other views show; null outside a client's page. */
  readonly moment: ShownMoment | null;
  /** Used in the file name of a saved picture. */
  readonly title: string;
  /** Set for a permalink: later events are hidden, and absent URL parameters have their stored values. */
  readonly stored?: StoredHistory;
}

/** Events as a timeline and as a table; an event opens beside them. */
export function HistoryView(props: HistoryViewProps) {
  const { clientId, askTears, moment, title, stored } = props;
  useLiveStream('history', ...(clientId === null ? [] : [`client:${clientId}` as const]));
  const state = useHistorySearch(clientId, stored);
  const { range } = useTimeRange();
  const { search, setSearch, params } = state;
  const [showsFilters, setShowsFilters] = useState(false);
  const [anchor, setAnchor] = useState<string | null>(null);
  const timeline = useHistoryTimeline(params);
  const whole = timeline.data;
  const { isPaused, onPause, onDrag } = useTailPause(moment, whole);
  const feed = useHistoryFeed({ params, isPaused, anchor, isLive: stored === undefined });
  const selectedSeq = search.event;
  const select = useCallback((seq: number | null) => setSearch({ event: seq }, 'push'), [setSearch]);
  const close = useCallback(() => select(null), [select]);
  return (
    <SplitView
      side={
        selectedSeq === null ? null : (
          <EventDetail key={selectedSeq} seq={selectedSeq} onOpen={select} onClose={close} />
        )
      }
      onClose={close}
    >
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto md:overflow-hidden">
        <div className="flex flex-wrap items-end gap-x-2 border-b border-line pr-3">
          <HistoryFilters
            state={state}
            choosesClient={clientId === null}
            isFolded={selectedSeq !== null}
            isShown={showsFilters}
          />
          <div className="ml-auto flex flex-1 items-center justify-end gap-3 py-2 pl-3">
            <Button
              tone="quiet"
              className={`mr-auto h-7 ${selectedSeq === null ? 'md:hidden' : ''}`}
              onPress={() => setShowsFilters(!showsFilters)}
            >
              {showsFilters ? 'Hide the filters' : state.isFiltered ? 'Filtered' : 'Filter'}
            </Button>
            <Extent timeline={whole} oldestAt={feed.newestPage?.oldestAt ?? null} />
            {stored === undefined && (
              <TailControl
                isPaused={isPaused}
                onChange={onPause}
                waiting={feed.waiting}
                hasMoreWaiting={feed.hasMoreWaiting}
              />
            )}
          </div>
        </div>
        {/* Reserves the height of most timelines, so that the table does not move when one arrives. */}
        <div
          className={
            timeline.isPending ? `${timelinePart} h-[58%] overflow-hidden max-md:h-[60dvh]` : 'contents'
          }
        >
          <QueryContent query={timeline} what="the timeline" rows={10}>
            {(whole) =>
              isEmptyTimeline(whole) ? null : (
                <Timeline
                  {...{ whole, state, askTears, moment, title }}
                  onMomentDrag={onDrag}
                  withHeadings={clientId === null}
                  allWindow={stored === undefined ? null : { from: whole.from, to: whole.to }}
                />
              )
            }
          </QueryContent>
        </div>
        {/* On a phone the page scrolls: without a height of its own the table would render every row. */}
        <div className="flex min-h-72 flex-1 flex-col border-t border-line max-md:h-[70dvh] max-md:flex-none">
          <HistoryTable
            feed={feed}
            withClient={clientId === null}
            withLoad={search.lrs || search.kind.includes('load-reported')}
            isFiltered={state.isFiltered || !isSameRange(range, everything)}
            selectedSeq={selectedSeq}
            onSelect={select}
            onSeek={(seq) => setAnchor(formatHistoryCursor('older', seq + 1))}
            isAnchored={anchor !== null}
            onNewest={() => setAnchor(null)}
          />
        </div>
      </div>
    </SplitView>
  );
}

const timelinePart = 'flex min-h-0 shrink-0 flex-col';

/** The limit of config tears that are listed at once. */
const mostListed = 4;

interface TimelineProps {
  readonly whole: HistoryTimeline;
  readonly state: HistorySearchState;
  readonly askTears: AskTears | null;
  readonly withHeadings: boolean;
  readonly moment: ShownMoment | null;
  readonly onMomentDrag: (isDragged: boolean) => void;
  readonly title: string;
  /** The window that "all" stands for in the URL; null outside a permalink. */
  readonly allWindow: TimeWindow | null;
}

function Timeline(props: TimelineProps) {
  const { whole, state, askTears, withHeadings, moment, onMomentDrag, title, allWindow } = props;
  const { search, setSearch, params } = state;
  const { setRange } = useTimeRange();
  const all = useRef(allWindow);
  const store = useCallback(
    (span: typeof search.span) => setSearch({ span: span ?? all.current }),
    [setSearch],
  );
  const { window, move, storeWindow } = useHistoryWindow({ stored: search.span, onStore: store, whole });
  const shown = useWindowTimeline(params, whole, window);
  const [chosen, setChosen] = useState<readonly DescribedTear[]>([]);
  const limit = () => {
    if (window === null) return;
    setRange({
      from: { kind: 'absolute', at: Math.floor(window.from) },
      to: { kind: 'absolute', at: Math.ceil(window.to) },
    });
    setSearch({ span: null }, 'push');
  };
  const drawing = (tears: Tears | null) => (
    <HistoryDrawing
      timeline={shown}
      whole={whole}
      window={window}
      onWindow={move}
      onWindowEnd={storeWindow}
      selectedSeq={search.event}
      onSelect={(seq) => setSearch({ event: seq }, 'push')}
      withHeadings={withHeadings}
      tears={tears}
      onOpenTears={setChosen}
      moment={moment}
      onMomentDrag={onMomentDrag}
      title={title}
    />
  );
  return (
    <div className={`${timelinePart} max-h-[58%] max-md:max-h-[60dvh]`}>
      {askTears === null ? drawing(null) : <WithTears ask={askTears} window={window} draw={drawing} />}
      {(window !== null || chosen.length > 0) && (
        <div className="flex flex-wrap items-center gap-2 px-3 pb-1.5 text-small">
          <div role="status" className="min-w-0 flex-1 break-words empty:hidden">
            {chosen.slice(0, mostListed).map(({ key, text }) => (
              <p key={key}>
                <strong className="font-medium">Config tear:</strong> {text}
              </p>
            ))}
            {chosen.length > mostListed && (
              <p className="note">and {chosen.length - mostListed} more: zoom in to list them</p>
            )}
          </div>
          {window !== null && (
            <span className="ml-auto flex gap-1">
              <Button tone="quiet" className="h-6" onPress={limit}>
                Set as time range
              </Button>
              <Button
                tone="quiet"
                className="h-6"
                onPress={() => {
                  move(null);
                  storeWindow();
                }}
              >
                Reset zoom
              </Button>
            </span>
          )}
        </div>
      )}
    </div>
  );
}

/** The timeline does not wait for config tears. */
function WithTears({
  ask,
  window,
  draw,
}: {
  readonly ask: AskTears;
  readonly window: TimeWindow | null;
  readonly draw: (tears: Tears | null) => React.ReactNode;
}) {
  const { tears, listedFrom, onOlder, isComing } = useWindowTears(ask, window);
  return (
    <>
      {draw(tears)}
      {listedFrom !== undefined && (
        <p className="flex flex-wrap items-center gap-2 px-3 pb-1 note">
          Config tears are listed since <TimeAgo at={listedFrom} />.
          <Button tone="quiet" className="h-6" onPress={onOlder} isPending={isComing}>
            Older config tears
          </Button>
        </p>
      )}
    </>
  );
}

/** An empty timeline is hidden, because the table states why there are no events. */
function isEmptyTimeline(timeline: HistoryTimeline): boolean {
  return timeline.kind === 'marks' && timeline.seq.length === 0 && timeline.gaps.length === 0;
}

function Extent({
  timeline,
  oldestAt,
}: {
  readonly timeline: HistoryTimeline | undefined;
  readonly oldestAt: EpochMs | null;
}) {
  const total = useMemo(() => {
    if (timeline === undefined) return null;
    return timeline.kind === 'marks' ? timeline.seq.length : timeline.total;
  }, [timeline]);
  if (total === null) return null;
  return (
    <p role="status" className="note">
      {formatCounted(total, 'event')}
      {oldestAt !== null && (
        <>
          ; recording started <TimeAgo at={oldestAt} />
        </>
      )}
    </p>
  );
}

interface TailPause {
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
  readonly onDrag: (isDragged: boolean) => void;
}

/**
 * Pauses new events on request, during a drag, and while a time in the past is chosen, because each new event
 * would change the axis under the pointer. A time later than all shown events does not pause.
 */
function useTailPause(moment: ShownMoment | null, whole: HistoryTimeline | undefined): TailPause {
  /** The reader's choice; null: none. */
  const [reported, setReported] = useState<boolean | null>(null);
  const [isDragged, setDragged] = useState(false);
  const isChosen = moment?.isChosen === true;
  const [wasChosen, setWasChosen] = useState(isChosen);
  if (wasChosen !== isChosen) {
    setWasChosen(isChosen);
    // "Follow" applied to the time that was left.
    if (reported === false) setReported(null);
  }
  const isVisible = moment !== null && moment.at !== null && (whole === undefined || moment.at <= whole.to);
  const onDrag = useCallback((isNow: boolean) => {
    setDragged(isNow);
    if (isNow) setReported((before) => (before === false ? null : before));
  }, []);
  return { isPaused: isDragged || (reported ?? (isChosen && isVisible)), onPause: setReported, onDrag };
}
