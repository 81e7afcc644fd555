import { keepPreviousData, type UseQueryOptions } from '@tanstack/react-query';
import type { FailoverChange, FailoverSimulation } from '@/lib/api/failover';
import type { FailoverHistory } from '@/lib/api/failovers';
import type { LbTree } from '@/lib/api/lb-tree';
import { requestJson } from './api-client';
import { queryKeys } from './query-keys';

/** Of which cluster; what is empty is the server's to choose. */
export interface ClusterParams {
  readonly target: string;
  readonly listener: string;
  readonly cluster: string;
  readonly clientKind: string;
}

export interface LbTreeParams extends ClusterParams {
  /** Id of the policy whose config is told; empty: all. */
  readonly node: string;
}

export interface FailoverParams extends ClusterParams {
  readonly changes: readonly FailoverChange[];
  readonly seconds: number;
  /** Of a large cluster, who is listed first; empty: nobody in particular. */
  readonly find: string;
}

export type FailoversQueryOptions = UseQueryOptions<FailoverHistory>;
export type LbTreeQueryOptions = UseQueryOptions<LbTree>;
export type FailoverQueryOptions = UseQueryOptions<FailoverSimulation>;

const of = encodeURIComponent;

export function clientLbTreeQuery(clientId: string, params: LbTreeParams): LbTreeQueryOptions {
  const path = `clients/${of(clientId)}/lb-tree?${treeSearch(params)}`;
  return {
    queryKey: [...queryKeys.clientTraffic(clientId), 'lb-tree', params],
    queryFn: ({ signal }) => requestJson<LbTree>(path, { signal }),
    meta: { path },
    placeholderData: keepPreviousData,
  };
}

export function permalinkLbTreeQuery(id: string, params: LbTreeParams): LbTreeQueryOptions {
  const path = `permalinks/${of(id)}/lb-tree?${treeSearch(params)}`;
  return {
    queryKey: [...queryKeys.permalink(id), 'lb-tree', params],
    queryFn: ({ signal }) => requestJson<LbTree>(path, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** `at`: "" is now. A simulation is a POST, so a moment is in its body. */
export function clientFailoverQuery(
  clientId: string,
  params: FailoverParams,
  at: string,
): FailoverQueryOptions {
  const base = at === '' ? queryKeys.clientTraffic(clientId) : ['past', clientId, at];
  const queryKey = [...base, 'failover', params];
  const whose = { client: clientId, ...(at !== '' && { at }) };
  return {
    queryKey,
    queryFn: ({ signal }) => simulate(whose, params, signal),
    // Another moment is no placeholder for this one.
    placeholderData: (before, query) => (query?.queryKey[2] === queryKey[2] ? before : undefined),
    ...(at !== '' && { staleTime: Number.POSITIVE_INFINITY }),
  };
}

export function permalinkFailoverQuery(id: string, params: FailoverParams): FailoverQueryOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'failover', params],
    queryFn: ({ signal }) => simulate({ permalink: id }, params, signal),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** Of the client's whole life, whatever moment is in sight. */
export function clientFailoversQuery(clientId: string, params: ClusterParams): FailoversQueryOptions {
  const { clientKind, ...rest } = params;
  const search = new URLSearchParams(toldOf({ ...rest, 'client-kind': clientKind }));
  return {
    queryKey: [...queryKeys.clientTraffic(clientId), 'failovers', params],
    queryFn: ({ signal }) =>
      requestJson<FailoverHistory>(`clients/${of(clientId)}/failovers?${search}`, { signal }),
    placeholderData: keepPreviousData,
  };
}

/** As they were told when the link was made, of the cluster that was in sight. */
export function permalinkFailoversQuery(id: string): FailoversQueryOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'failovers'],
    queryFn: ({ signal }) => requestJson<FailoverHistory>(`permalinks/${of(id)}/failovers`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

function simulate(
  whose: object,
  { changes, seconds, ...params }: FailoverParams,
  signal: AbortSignal,
): Promise<FailoverSimulation> {
  const body = { ...whose, ...toldOf(params), changes, seconds };
  return requestJson<FailoverSimulation>('failover/simulate', { method: 'POST', body, signal });
}

function treeSearch({ clientKind, ...params }: LbTreeParams): URLSearchParams {
  return new URLSearchParams(toldOf({ ...params, 'client-kind': clientKind }));
}

function toldOf(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''));
}
