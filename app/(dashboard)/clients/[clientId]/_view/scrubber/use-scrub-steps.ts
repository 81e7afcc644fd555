'use client';

import { useCallback, useState } from 'react';
import { requestTears } from '@/app/_hooks/client-view-queries';
import type { Moment } from '@/lib/api/moment';
import { type Direction, findEvent, findNack } from './find-event';

interface ScrubOptions {
  readonly clientId: string;
  /** The moment in sight; undefined: now. */
  readonly moment: Moment | undefined;
  /** As the URL names it. */
  readonly at: string;
  /** Of a client that is gone there is no now. */
  readonly hasNow: boolean;
  readonly onGo: (at: string) => void;
}

export interface ScrubSteps {
  readonly step: (what: 'event' | 'nack' | 'tear', direction: Direction) => void;
  /** What was looked for and is not there, in words; empty: nothing. */
  readonly problem: string;
}

/** From event to event, to the next NACK, to the next tear. */
export function useScrubSteps({ clientId, moment, at, hasNow, onGo }: ScrubOptions): ScrubSteps {
  const [problem, setProblem] = useState('');
  const seqAsked = /^seq:(\d+)$/.exec(at)?.[1];
  const from = at === '' ? null : seqAsked === undefined ? (moment?.seq ?? null) : Number(seqAsked);

  const find = useCallback(
    async (what: 'event' | 'nack' | 'tear', direction: Direction): Promise<string> => {
      const where = direction === 'older' ? 'before' : 'after';
      if (what === 'tear') {
        if (moment === undefined && direction === 'newer') return 'this is now';
        const near =
          moment === undefined
            ? {}
            : direction === 'older'
              ? { beganBefore: moment.at }
              : { beganAfter: moment.at };
        const { items } = await requestTears(clientId, { ...near, limit: 1 });
        const [tear] = items;
        if (tear === undefined) return `no tear ${where} this moment`;
        onGo(tear.fromAt);
        return '';
      }
      if (from === null && direction === 'newer') return 'this is now';
      if (what === 'nack') {
        const event = await findNack({ clientId, direction, from });
        if (event === undefined) return `no NACK ${where} this moment`;
        onGo(`seq:${event.seq}`);
        return '';
      }
      const event = await findEvent({ clientId, direction, from });
      if (event !== undefined) onGo(`seq:${event.seq}`);
      else if (direction === 'newer' && hasNow) onGo('');
      else return `no event ${where} this moment`;
      return '';
    },
    [clientId, from, moment, hasNow, onGo],
  );

  const step = useCallback<ScrubSteps['step']>(
    (what, direction) => {
      setProblem('');
      find(what, direction).then(setProblem, (error: unknown) => {
        setProblem(error instanceof Error ? error.message : String(error));
      });
    },
    [find],
  );

  return { step, problem };
}
