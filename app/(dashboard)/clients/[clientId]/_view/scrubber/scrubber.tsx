'use client';

import type { ReactNode } from 'react';
import { Button } from '@/app/_components/button';
import { StrokeShape } from '@/app/_components/stroke-shape';
import type { HistoryTimeline } from '@/lib/api/history';
import type { Moment } from '@/lib/api/moment';
import { formatIsoTime } from '@/lib/format/iso-time';
import { statusShape } from '@/lib/format/status-shape';
import { ScrubberAxis } from './scrubber-axis';
import { useScrubSteps } from './use-scrub-steps';
import type { Travel } from './use-travel';

interface ScrubberProps {
  readonly clientId: string;
  readonly travel: Travel;
  /** In sight; undefined: now. */
  readonly moment: Moment | undefined;
  readonly hasNow: boolean;
  /** undefined: not read yet, or not to be read. */
  readonly timeline: HistoryTimeline | undefined;
}

const chevronLeft = 'M10 4L6 8L10 12';
const chevronRight = 'M6 4L10 8L6 12';
/** Two parts that do not meet. */
const tearPath = 'M2.5 2.5L7 5.5L4.5 8L7 13.5M9 2.5L13.5 5.5L11 8L13.5 13.5';

/** One moment for every view of a client: drag, step, jump, compare. */
export function Scrubber({ clientId, travel, moment, hasNow, timeline }: ScrubberProps) {
  const { at, since, go } = travel;
  const { step, problem } = useScrubSteps({ clientId, moment, at, hasNow, onGo: (next) => go({ at: next }) });
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
      <Pair label="tear" older="Shift T" newer="T" onStep={(direction) => step('tear', direction)}>
        <StrokeShape path={tearPath} /> tear
      </Pair>
      {timeline !== undefined ? (
        <ScrubberAxis
          timeline={timeline}
          // Where somebody went, also while the views are on their way.
          at={timeOf(at, timeline) ?? (moment === undefined ? null : Date.parse(moment.at))}
          since={timeOf(since, timeline)}
          onGo={(next, isFirst) =>
            go({ at: next === null ? '' : formatIsoTime(next) }, isFirst ? 'push' : 'replace')
          }
          onStep={(direction) => step('event', direction)}
        />
      ) : (
        <span className="h-9 flex-[1_1_16rem] rounded bg-sunken max-md:basis-full" />
      )}
      <Button tone="quiet" onPress={() => go({ since: at === '' ? formatIsoTime(Date.now()) : at })}>
        {since === '' ? 'Set A here' : 'Move A here'}
      </Button>
      <p role="status" className="basis-full text-[0.8571rem] text-timeout empty:hidden">
        {problem}
      </p>
    </section>
  );
}

interface PairProps {
  readonly label: string;
  /** Keys. */
  readonly older: string;
  readonly newer: string;
  readonly onStep: (direction: 'older' | 'newer') => void;
  readonly children: ReactNode;
}

function Pair({ label, older, newer, onStep, children }: PairProps) {
  const side = 'grid size-7 place-items-center text-muted hover:bg-hover hover:text-text';
  return (
    <fieldset
      aria-label={`Go to the ${label}`}
      className="inline-flex h-7 items-center overflow-hidden rounded-md border border-line text-[0.8571rem]"
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
      <span className="inline-flex items-center gap-1 text-muted">{children}</span>
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

/** Of a moment as the URL names it; null: none, or one that the axis does not hold. */
function timeOf(moment: string, timeline: HistoryTimeline): number | null {
  if (moment === '') return null;
  const seq = /^seq:(\d+)$/.exec(moment)?.[1];
  if (seq === undefined) return Number.isNaN(Date.parse(moment)) ? null : Date.parse(moment);
  if (timeline.kind !== 'marks') return null;
  return timeline.at[timeline.seq.indexOf(Number(seq))] ?? null;
}
