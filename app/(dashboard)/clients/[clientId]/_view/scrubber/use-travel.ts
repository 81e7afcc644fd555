'use client';

import { parseAsString, useQueryStates } from 'nuqs';
import { useCallback } from 'react';

const parsers = {
  at: parseAsString.withDefault(''),
  since: parseAsString.withDefault(''),
  until: parseAsString.withDefault(''),
};

export interface Travel {
  /** The time in the URL; "": now. */
  readonly at: string;
  /** A: the start of the comparison; "": none. */
  readonly since: string;
  /** B: the end of the comparison; "": the shown time. */
  readonly until: string;
  readonly go: (
    change: { readonly at?: string; readonly since?: string; readonly until?: string },
    history?: 'push' | 'replace',
  ) => void;
}

/** The times in the URL. Each jump adds an entry to the browser's history; a drag adds one. */
export function useTravel(): Travel {
  const [{ at, since, until }, set] = useQueryStates(parsers);
  const go = useCallback<Travel['go']>((change, history = 'push') => void set(change, { history }), [set]);
  return { at, since, until, go };
}
