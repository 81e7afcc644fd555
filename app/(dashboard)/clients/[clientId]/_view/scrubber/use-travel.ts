'use client';

import { parseAsString, useQueryStates } from 'nuqs';
import { useCallback } from 'react';

const parsers = { at: parseAsString.withDefault(''), since: parseAsString.withDefault('') };

export interface Travel {
  /** The moment that the URL names; "": now. */
  readonly at: string;
  /** The moment with which it is compared; "": none. */
  readonly since: string;
  readonly go: (
    change: { readonly at?: string; readonly since?: string },
    history?: 'push' | 'replace',
  ) => void;
}

/** Where in time the URL is. Each jump is a step that the back button undoes; what a drag passes is not. */
export function useTravel(): Travel {
  const [{ at, since }, set] = useQueryStates(parsers);
  const go = useCallback<Travel['go']>((change, history = 'push') => void set(change, { history }), [set]);
  return { at, since, go };
}
