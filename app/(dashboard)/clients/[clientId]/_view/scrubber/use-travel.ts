'use client';

import { parseAsString, useQueryStates } from 'nuqs';
import { useCallback } from 'react';

const parsers = {
  at: parseAsString.withDefault(''),
  since: parseAsString.withDefault(''),
  until: parseAsString.withDefault(''),
};

export interface Travel {
  /** The moment that the URL names; "": now. */
  readonly at: string;
  /** A: the moment from which changes are reported; "": nothing is compared. */
  readonly since: string;
  /** B: the moment up to which they are reported; "": the one in sight. */
  readonly until: string;
  readonly go: (
    change: { readonly at?: string; readonly since?: string; readonly until?: string },
    history?: 'push' | 'replace',
  ) => void;
}

/** Where in time the URL is. Each jump is a step that the back button undoes; what a drag passes is not. */
export function useTravel(): Travel {
  const [{ at, since, until }, set] = useQueryStates(parsers);
  const go = useCallback<Travel['go']>((change, history = 'push') => void set(change, { history }), [set]);
  return { at, since, until, go };
}
