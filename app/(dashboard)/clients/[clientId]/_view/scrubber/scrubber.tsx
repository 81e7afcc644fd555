'use client';

import type { ReactNode } from 'react';
import { StrokeShape } from '@/app/_components/stroke-shape';
import type { HistoryTimeline } from '@/lib/api/history';
import type { Moment } from '@/lib/api/moment';
import { firstMoment } from '@/lib/view-model/history/timeline-moments';
import { statusShape } from '@/lib/view-model/status-shape';
import type { EpochMs } from '@/lib/xds/units';
import { MomentField } from './moment-field';
import { type FlagName, flagNames, ScrubberAxis } from './scrubber-axis';
import { ScrubberZoom } from './scrubber-zoom';
import { useScrubKeys } from './use-scrub-keys';
import { useScrubRange } from './use-scrub-range';
import { useScrubSteps } from './use-scrub-steps';
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
  if (seq === undefined) return Number.isNaN(Date.parse(moment)) ? null : Date.parse(moment);
  if (timeline.kind !== 'marks') return null;
  return timeline.at[timeline.seq.indexOf(Number(seq))] ?? null;
}
