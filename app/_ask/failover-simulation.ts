import type { UseQueryOptions } from '@tanstack/react-query';
import type { Change } from '@/lib/lb/simulator/change';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import { requestJson } from '../_hooks/api-client';
import { atMoment, type ClientQuery } from './client-question';
import { type ClientSubject, cacheTimesOf, keepPreviousOf, subjectKey } from './client-subject';

interface SimulationParams
  extends Pick<ClientQuery<'lb-tree'>, 'target' | 'listener' | 'cluster' | 'profile'> {
  readonly requests?: string | undefined;
  readonly changes: readonly Change[];
  readonly seconds: number;
  /** Localities and endpoints whose names contain this text are listed first; empty: in their order. */
  readonly find: string;
}

export function simulationOptions(
  subject: ClientSubject,
  params: SimulationParams,
): UseQueryOptions<FailoverSimulation> {
  const body = { ...referenceOf(subject), ...params };
  return {
    queryKey: [...subjectKey(subject), 'simulation', params],
    queryFn: ({ signal }) =>
      requestJson<FailoverSimulation>('failover/simulate', { method: 'POST', body, signal }),
    placeholderData: keepPreviousOf(subject),
    ...cacheTimesOf(subject),
    meta: {
      prefetchAt: (cache, at) => cache.prefetchQuery(simulationOptions(atMoment(subject, at), params)),
    },
  };
}

/** POST failover/simulate has the moment in its body. */
function referenceOf(subject: ClientSubject) {
  if ('permalinkId' in subject) return { permalink: subject.permalinkId };
  const { clientId: client, at = '' } = subject;
  return at === '' ? { client } : { client, at };
}
