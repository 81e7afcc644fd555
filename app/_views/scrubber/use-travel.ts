'use client';

import { parseAsString, useQueryStates } from 'nuqs';
import { useCallback } from 'react';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { EpochMs } from '@/lib/xds/units';

const parsers = {
  at: parseAsString.withDefault(''),
  since: parseAsString.withDefault(''),
  until: parseAsString.withDefault(''),
};

/** A time, an event as in "seq:4711", or now: null or "". */
export type MomentChoice = EpochMs | string | null;

export interface Travel {
  /** The time in the URL; "": now. */
  readonly at: string;
  /** A: the start of the comparison; "": none. */
  readonly since: string;
  /** B: the end of the comparison; "": the shown time. */
  readonly until: string;
  readonly go: (
    change: { readonly at?: MomentChoice; readonly since?: MomentChoice; readonly until?: MomentChoice },
    history?: 'push' | 'replace',
  ) => void;
}

/** The times in the URL. Each jump adds an entry to the browser's history; a drag adds one. */
export function useTravel(): Travel {
  const [{ at, since, until }, set] = useQueryStates(parsers);
  const go = useCallback<Travel['go']>(
    (change, history = 'push') => {
      const texts = Object.entries(change).map(([name, moment]) => [name, momentText(moment)]);
      void set(Object.fromEntries(texts), { history });
    },
    [set],
  );
  return { at, since, until, go };
}

function momentText(moment: MomentChoice): string {
  return typeof moment === 'number' ? formatIsoTime(moment) : (moment ?? '');
}
