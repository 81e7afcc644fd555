'use client';

import { useQuestion } from '@/app/_ask/use-question';
import type { Resolved } from '@/lib/api/resolved';
import { startsParamsOf } from '../../client-views';
import { useClientViewQuery } from '../use-client-view-query';
import { useSettled } from '../use-settled';

type Starts = Pick<Resolved, 'starts' | 'startsTotal'>;

const typingPauseMs = 300;
const none: Starts = { starts: [], startsTotal: 0 };

/** Listeners whose names hold the text: of those that came with the answer, or, when there are more, asked for. */
export function useStarts(first: Starts | undefined, text: string): Starts {
  const { query } = useClientViewQuery();
  const settled = useSettled(text, typingPauseMs);
  const isCut = first !== undefined && first.starts.length < first.startsTotal;
  const more = useQuestion('resolved', startsParamsOf(query, settled), {
    enabled: isCut && settled !== '',
  });
  if (isCut && text !== '' && text === settled && more.data !== undefined) return more.data;
  return first ?? none;
}
