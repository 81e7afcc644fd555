'use client';

import { useMemo } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import type { ConnectivityState } from '@/lib/observation/connection';
import { ConnectionState } from '../connections/connection-state';

/** By address. */
export type MeasuredStates = ReadonlyMap<string, ConnectivityState>;

const mostEndpoints = 1_000;

/** The connectivity states that the client reports, beside the simulated conditions of its endpoints. */
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

export function MeasuredState({ state }: { readonly state: ConnectivityState | undefined }) {
  if (state === undefined) return null;
  return (
    <span className="note" title="Measured: the state of the client's connection, by channelz">
      <ConnectionState connection={{ state }} />
    </span>
  );
}
