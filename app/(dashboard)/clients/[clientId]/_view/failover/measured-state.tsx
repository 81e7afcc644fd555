'use client';

import { useMemo } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import type { ReportedState } from '@/lib/observation/connection-states';
import { ConnectionState } from '../connections/connection-state';

/** By address; undefined: clusters or priorities that share the address have several states. */
export type MeasuredStates = ReadonlyMap<string, ReportedState | undefined>;

const mostEndpoints = 1_000;

/** The states of connections or hosts that the client reports, beside the simulated conditions of its endpoints. */
export function useMeasuredStates(): MeasuredStates {
  const { data } = useQuestion('connections', { limit: mostEndpoints });
  return useMemo(() => {
    const states = new Map<string, ReportedState | undefined>();
    for (const { address, connection } of data?.endpoints.items ?? []) {
      if (connection === null) continue;
      const { state } = connection;
      states.set(address, states.has(address) && states.get(address) !== state ? undefined : state);
    }
    return states;
  }, [data]);
}

export function MeasuredState({ state }: { readonly state: ReportedState | undefined }) {
  if (state === undefined) return null;
  return (
    <span className="note" title="Measured: the state that the client reports">
      <ConnectionState connection={{ state }} />
    </span>
  );
}
