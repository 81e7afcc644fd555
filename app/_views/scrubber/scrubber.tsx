'use client';

import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Icon, type IconName } from '@/app/_components/icon';
import { loadOnInput } from '@/app/_components/load-on-input';
import { isTyping } from '@/app/_components/palette/is-typing';
import { StrokeShape } from '@/app/_components/stroke-shape';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { findTime } from '@/lib/format/iso-time';
import { messageOf } from '@/lib/format/message-of';
import { statusShape } from '@/lib/views/drawing/status-shape';
import type { Moment } from '@/lib/views/fields/moment';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import { firstMoment } from '@/lib/views/history/timeline-moments';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from './find-event';
import type { Step, StepTarget } from './find-step';
import { MomentField } from './moment-field';
import { type FlagName, flagNames, ScrubberAxis } from './scrubber-axis';
import { useScrubRange } from './use-scrub-range';
import type { MomentChoice, Travel } from './use-travel';

interface ScrubberProps {
  readonly clientId: string;
  readonly travel: Travel;
  /** The shown time; undefined: now. */
  readonly moment: Moment | undefined;
  readonly hasNow: boolean;
  /** undefined: not loaded. */
  readonly timeline: HistoryTimeline | undefined;
  /** False while the timeline is still that of another range. */
  readonly isOfRange: boolean;
}

const flagTexts = {
  A: 'Start of the comparison',
  B: 'End of the comparison; defaults to the shown time',
};
const chevronLeft = 'M10 4L6 8L10 12';
const chevronRight = 'M6 4L10 8L6 12';
/** Two separate parts. */
const tearPath = 'M2.5 2.5L7 5.5L4.5 8L7 13.5M9 2.5L13.5 5.5L11 8L13.5 13.5';

/** Chooses the time of all views of a client, and the ends of a comparison. */
export function Scrubber({ clientId, travel, moment, hasNow, timeline, isOfRange }: ScrubberProps) {
  const { at, since, until, go } = travel;
  const range = useScrubRange(timeline);
  const goTo = (next: MomentChoice, time: EpochMs | null): void => {
    go({ at: next });
    range.reveal(time);
  };
  const { step, problem } = useScrubSteps({ clientId, moment, at, hasNow, onGo: goTo });
  // The chosen time, also while its data is loading.
  const shownAt = (timeline && timeOf(at, timeline)) ?? moment?.at ?? null;
  const flags = { A: since, B: until };
  const setFlag = (name: FlagName, to: MomentChoice, history: 'push' | 'replace' = 'push'): void => {
    if (name === 'A') go({ since: to }, history);
    // Changes are highlighted in the graph of B, so the views go there.
    else go({ until: to, ...(to !== null && to !== '' && { at: to }) }, history);
  };
  const setHere = (name: FlagName): void => setFlag(name, at === '' ? Date.now() : at);
  const openFlag = (name: FlagName): void => {
    if (flags[name] !== '') go({ at: flags[name] });
  };
  useScrubKeys({ step, onSet: setHere, onOpen: openFlag });
  return (
    <section
      aria-label="Time travel"
      className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-4 py-1.5"
    >
      <Pair label="event" older="[" newer="]" onStep={(direction) => step('event', direction)}>
        event
      </Pair>
      <Pair label="NACK" older="Shift N" newer="N" onStep={(direction) => step('nack', direction)}>
        <StrokeShape path={statusShape('NACKED').path} /> NACK
      </Pair>
      <Pair
        label="config tear"
        hint="A time when the resources in use did not fit together (gRFC A74)"
        older="Shift T"
        newer="T"
        onStep={(direction) => step('tear', direction)}
      >
        <StrokeShape path={tearPath} /> config tear
      </Pair>
      {timeline !== undefined ? (
        <ScrubberAxis
          timeline={timeline}
          isOfRange={isOfRange}
          range={range}
          at={shownAt}
          flags={{ A: timeOf(since, timeline), B: timeOf(until, timeline) }}
          onGo={(next, isFirst) => go({ at: next }, isFirst ? 'push' : 'replace')}
          onStep={(direction) => step('event', direction)}
          onFlag={(name, next, isFirst) => setFlag(name, next, isFirst ? 'push' : 'replace')}
          onOpenFlag={openFlag}
        />
      ) : (
        <span className="h-[40px] flex-[1_1_16rem] rounded bg-sunken max-md:basis-full" />
      )}
      <ScrubberZoom onZoomIn={() => range.zoomIn(shownAt)} onZoomOut={range.isWhole ? null : range.zoomOut} />
      <MomentField
        at={shownAt}
        onGo={(time) => {
          if (time !== 'oldest') goTo(time, time);
          else if (timeline !== undefined) goTo(firstMoment(timeline), firstMoment(timeline));
        }}
      />
      <fieldset
        aria-label="Compare"
        className="inline-flex h-7 divide-x divide-line overflow-hidden rounded-md border border-line text-small"
      >
        {flagNames.map((name) => (
          <button
            key={name}
            type="button"
            className="px-2 whitespace-nowrap text-muted hover:bg-hover hover:text-text"
            title={`${flagTexts[name]} (${name}; Shift ${name} shows it)`}
            onClick={() => setHere(name)}
          >
            Mark as {name}
          </button>
        ))}
      </fieldset>
      <p role="status" className="basis-full text-small text-timeout empty:hidden">
        {problem}
      </p>
    </section>
  );
}

interface PairProps {
  readonly label: string;
  readonly hint?: string;
  /** Keyboard shortcuts. */
  readonly older: string;
  readonly newer: string;
  readonly onStep: (direction: 'older' | 'newer') => void;
  readonly children: ReactNode;
}

function Pair({ label, hint, older, newer, onStep, children }: PairProps) {
  const side = 'grid size-7 place-items-center text-muted hover:bg-hover hover:text-text';
  return (
    <fieldset
      aria-label={`Go to the ${label}`}
      className="inline-flex h-7 items-center overflow-hidden rounded-md border border-line text-small"
    >
      <button
        type="button"
        className={side}
        aria-label={`Previous ${label}`}
        title={`Previous ${label} (${older})`}
        onClick={() => onStep('older')}
      >
        <StrokeShape path={chevronLeft} />
      </button>
      <span className="inline-flex items-center gap-1 text-muted" title={hint}>
        {children}
      </span>
      <button
        type="button"
        className={side}
        aria-label={`Next ${label}`}
        title={`Next ${label} (${newer})`}
        onClick={() => onStep('newer')}
      >
        <StrokeShape path={chevronRight} />
      </button>
    </fieldset>
  );
}

/** The time that the URL names; null: none, or not on the axis. */
function timeOf(moment: string, timeline: HistoryTimeline): number | null {
  if (moment === '') return null;
  const seq = /^seq:(\d+)$/.exec(moment)?.[1];
  if (seq === undefined) return findTime(moment) ?? null;
  if (timeline.kind !== 'marks') return null;
  return timeline.at[timeline.seq.indexOf(Number(seq))] ?? null;
}

interface ScrubberZoomProps {
  readonly onZoomIn: () => void;
  /** null: everything is shown. */
  readonly onZoomOut: (() => void) | null;
}

function ScrubberZoom({ onZoomIn, onZoomOut }: ScrubberZoomProps) {
  return (
    <fieldset
      aria-label="Zoom the time axis"
      className="inline-flex h-7 divide-x divide-line overflow-hidden rounded-md border border-line"
    >
      <ZoomButton icon="zoom-in" label="Zoom in" shortcut="+" onPress={onZoomIn} />
      <ZoomButton icon="zoom-out" label="Zoom out" shortcut="-" onPress={onZoomOut} />
    </fieldset>
  );
}

interface ZoomButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** The key on the focused axis. */
  readonly shortcut: string;
  readonly onPress: (() => void) | null;
}

function ZoomButton({ icon, label, shortcut, onPress }: ZoomButtonProps) {
  return (
    <button
      type="button"
      aria-label={`${label} on the time axis`}
      title={`${label} on the time axis (${shortcut} on the axis)`}
      disabled={onPress === null}
      onClick={onPress ?? undefined}
      className="grid size-7 place-items-center text-muted hover:bg-hover hover:text-text disabled:opacity-40"
    >
      <Icon name={icon} />
    </button>
  );
}

interface ScrubKeysOptions {
  readonly step: ScrubSteps['step'];
  readonly onSet: (name: FlagName) => void;
  readonly onOpen: (name: FlagName) => void;
}

/** Keyboard shortcuts of the scrubber on the whole page: [ ], N, T, A, B; Shift reverses. */
function useScrubKeys(options: ScrubKeysOptions): void {
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      const { step, onSet, onOpen } = latest.current;
      const back = event.shiftKey ? 'older' : 'newer';
      const key = event.key.toLowerCase();
      if (key === '[') step('event', 'older');
      else if (key === ']') step('event', 'newer');
      else if (key === 'n') step('nack', back);
      else if (key === 't') step('tear', back);
      else if (key === 'a' || key === 'b') (event.shiftKey ? onOpen : onSet)(key === 'a' ? 'A' : 'B');
      else return;
      event.preventDefault();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

const loadSearch = () => import('./find-step');

loadOnInput(loadSearch);

interface ScrubOptions {
  readonly clientId: string;
  /** The shown time; undefined: now. */
  readonly moment: Moment | undefined;
  readonly at: string;
  /** False for a client that is not reported now. */
  readonly hasNow: boolean;
  /** `time`: when that is; null: now. */
  readonly onGo: (at: MomentChoice, time: EpochMs | null) => void;
}

interface ScrubSteps {
  readonly step: (what: StepTarget, direction: Direction) => void;
  /** The reason why no event was found; empty: no problem. */
  readonly problem: string;
}

function useScrubSteps({ clientId, moment, at, hasNow, onGo }: ScrubOptions): ScrubSteps {
  const timeZone = useTimeZone();
  const [problem, setProblem] = useState('');
  const seqAsked = /^seq:(\d+)$/.exec(at)?.[1];
  const from = at === '' ? null : seqAsked === undefined ? (moment?.seq ?? null) : Number(seqAsked);

  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const step = useCallback<ScrubSteps['step']>(
    (what, direction) => {
      setProblem('');
      // A new step cancels the search of the one before.
      running.current?.abort();
      const search = new AbortController();
      const { signal } = search;
      running.current = search;
      const onEnd = (found: Step): void => {
        if (signal.aborted) return;
        if (typeof found === 'string') setProblem(found);
        else onGo(found.at, found.time);
      };
      loadSearch()
        .then(({ findStep }) =>
          findStep({
            ...{ clientId, moment, from, hasNow, timeZone, what, direction, signal },
            onProgress: setProblem,
          }),
        )
        .then(onEnd, (error: unknown) => onEnd(messageOf(error)));
    },
    [clientId, from, moment, hasNow, onGo, timeZone],
  );

  return { step, problem };
}
