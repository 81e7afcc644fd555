'use client';

import { useMemo } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import type { ReportedState } from '@/lib/observation/connection';
import { ConnectionState } from '../connections/connection-state';

/** By address. */
export type MeasuredStates = ReadonlyMap<string, ReportedState>;

const mostEndpoints = 1_000;

/** The states of connections or hosts that the client reports, beside the simulated conditions of its endpoints. */
export function useMeasuredStates(): MeasuredStates {
  const { data } = useQuestion('connections', { limit: mostEndpoints });
  return useMemo(
    () =>
      new Map(
        (data?.endpoints.items ?? []).flatMap(({ address, connection }) =>
          connection === null ? [] : [[address, connection.state] as const],
        ),
      ),
    [data],
  );
}

export function MeasuredState({ state }: { readonly state: ReportedState | undefined }) {
  if (state === undefined) return null;
  return (
    <span className="note" title="Measured: the state that the client reports">
      <ConnectionState connection={{ state }} />
    </span>
  );
}
