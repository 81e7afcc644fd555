'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { Moment } from '@/lib/api/moment';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from './find-event';
import type { Step, StepTarget } from './find-step';
import type { MomentChoice } from './use-travel';

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

export interface ScrubSteps {
  readonly step: (what: StepTarget, direction: Direction) => void;
  /** Why no event was found; empty: no problem. */
  readonly problem: string;
}

export function useScrubSteps({ clientId, moment, at, hasNow, onGo }: ScrubOptions): ScrubSteps {
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
        .then(onEnd, (error: unknown) => onEnd(error instanceof Error ? error.message : String(error)));
    },
    [clientId, from, moment, hasNow, onGo, timeZone],
  );

  return { step, problem };
}
