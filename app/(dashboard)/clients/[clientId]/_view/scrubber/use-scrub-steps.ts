'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { loadOnInput } from '@/app/_components/load-on-input';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { Moment } from '@/lib/api/moment';
import { formatExactTime } from '@/lib/format/exact-time';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from './find-event';

const loadSearches = () => Promise.all([import('./find-event'), import('./find-tear')]);
loadOnInput(loadSearches);

interface ScrubOptions {
  readonly clientId: string;
  /** The shown time; undefined: now. */
  readonly moment: Moment | undefined;
  readonly at: string;
  /** False for a client that is not reported now. */
  readonly hasNow: boolean;
  /** `time`: when that is; null: now. */
  readonly onGo: (at: string, time: EpochMs | null) => void;
}

export interface ScrubSteps {
  readonly step: (what: 'event' | 'nack' | 'tear', direction: Direction) => void;
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

  const find = useCallback(
    async (what: 'event' | 'nack' | 'tear', direction: Direction, signal: AbortSignal): Promise<string> => {
      const where = direction === 'older' ? 'before' : 'after';
      const [{ findEvent, findNack }, { findTear }] = await loadSearches();
      if (signal.aborted) return '';
      if (what === 'tear') {
        if (moment === undefined && direction === 'newer') return 'already at the newest state';
        const tear = await findTear({
          clientId,
          direction,
          from: moment?.at,
          signal,
          onReached: (reached) =>
            setProblem(
              `no config tear ${where} this time so far: at ${formatExactTime(Date.parse(reached), timeZone)}`,
            ),
        });
        if (signal.aborted) return '';
        if (tear === undefined) return `no config tear ${where} this time`;
        onGo(tear, Date.parse(tear));
        return '';
      }
      if (from === null && direction === 'newer') return 'already at the newest state';
      if (what === 'nack') {
        const event = await findNack({ clientId, direction, from });
        if (event === undefined) return `no NACK ${where} this time`;
        onGo(`seq:${event.seq}`, Date.parse(event.at));
        return '';
      }
      const event = await findEvent({ clientId, direction, from });
      if (event !== undefined) onGo(`seq:${event.seq}`, Date.parse(event.at));
      else if (direction === 'newer' && hasNow) onGo('', null);
      else return `no event ${where} this time`;
      return '';
    },
    [clientId, from, moment, hasNow, onGo, timeZone],
  );

  const step = useCallback<ScrubSteps['step']>(
    (what, direction) => {
      setProblem('');
      // A new step cancels the search of the one before.
      running.current?.abort();
      const search = new AbortController();
      running.current = search;
      const onReport = (text: string) => {
        if (!search.signal.aborted) setProblem(text);
      };
      find(what, direction, search.signal).then(onReport, (error: unknown) => {
        onReport(error instanceof Error ? error.message : String(error));
      });
    },
    [find],
  );

  return { step, problem };
}
