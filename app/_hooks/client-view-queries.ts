import { keepPreviousData, type UseQueryOptions } from '@tanstack/react-query';
import type { ClientChanges } from '@/lib/api/changes';
import type { ClientFindings } from '@/lib/api/findings';
import type { References, Resolved, Tears } from '@/lib/api/resolved';
import type { ClientDetail, Graph, ResourceLinks } from '@/lib/api/schema';
import type { ResourceKey } from '@/lib/observation/observation';
import { requestJson } from './api-client';
import {
  type ChangesParams,
  type FindingsParams,
  type GraphParams,
  queryKeys,
  type ReferencesParams,
  type ResolvedParams,
} from './query-keys';

/**
 * The questions that a client's pages ask of a live client and of a stored one, in the same shape: the pages
 * take whichever they are given. A selection of nothing (null) asks for nothing.
 */
export type ChangesQueryOptions = UseQueryOptions<ClientChanges>;
export type GraphQueryOptions = UseQueryOptions<Graph>;
export type LinksQueryOptions = UseQueryOptions<ResourceLinks>;
export type ResolvedQueryOptions = UseQueryOptions<Resolved>;
export type ReferencesQueryOptions = UseQueryOptions<References>;
export type TearsQueryOptions = UseQueryOptions<Tears>;
export type FindingsQueryOptions = UseQueryOptions<ClientFindings>;

/** The question that GET .../tears answers, in its words. ISO times. */
export interface TearsParams extends Pick<ResolvedParams, 'target' | 'listener' | 'profile' | 'errors'> {
  readonly beganAfter?: string;
  readonly beganBefore?: string;
  readonly limit?: number;
  /** Where the telling begins; without it, some way before `to`. */
  readonly from?: string;
  /** End of the history that is looked at. */
  readonly to?: string;
}

const of = encodeURIComponent;

/** A question about a client as it is now, which can be asked of another moment: see moment-queries.ts. */
function asking<T>(path: string): Pick<UseQueryOptions<T>, 'queryFn' | 'meta'> {
  return { queryFn: ({ signal }) => requestJson<T>(path, { signal }), meta: { path } };
}

export function clientDetailQuery(clientId: string): UseQueryOptions<ClientDetail> {
  return {
    queryKey: queryKeys.clientDetail(clientId),
    ...asking<ClientDetail>(`clients/${of(clientId)}`),
  };
}

/** A page of what became different between two moments, as `from` and `to` in the URL of the API say them. */
export function clientChangesQuery(clientId: string, params: ChangesParams): ChangesQueryOptions {
  return {
    // What is compared with now changes with the client.
    queryKey: [...(params.to === '' ? ['client', clientId] : ['past', clientId]), 'changes', params],
    queryFn: ({ signal }) =>
      requestJson<ClientChanges>(`clients/${of(clientId)}/changes?${toldSearch({ ...params })}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: params.to === '' ? 0 : Number.POSITIVE_INFINITY,
  };
}

export function clientGraphQuery(clientId: string, params: GraphParams): GraphQueryOptions {
  return {
    queryKey: queryKeys.clientGraph(clientId, params),
    ...asking<Graph>(`clients/${of(clientId)}/graph?${graphSearch(params)}`),
    // While another neighbourhood is fetched, the picture keeps the one before.
    placeholderData: keepPreviousData,
  };
}

export function clientLinksQuery(clientId: string, key: ResourceKey | null): LinksQueryOptions {
  const { typeUrl, name } = key ?? { typeUrl: '', name: '' };
  return {
    queryKey: queryKeys.resourceLinks(clientId, typeUrl, name),
    ...asking<ResourceLinks>(`clients/${of(clientId)}/links?${new URLSearchParams({ typeUrl, name })}`),
    enabled: key !== null,
  };
}

/** Another neighbourhood of a stored picture is computed from the stored bodies; it never changes. */
export function permalinkGraphQuery(id: string, params: GraphParams): GraphQueryOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'graph', params],
    queryFn: ({ signal }) =>
      requestJson<Graph>(`permalinks/${of(id)}/graph?${graphSearch(params)}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function permalinkLinksQuery(id: string, key: ResourceKey | null): LinksQueryOptions {
  const { typeUrl, name } = key ?? { typeUrl: '', name: '' };
  return {
    queryKey: [...queryKeys.permalink(id), 'links', typeUrl, name],
    queryFn: ({ signal }) =>
      requestJson<ResourceLinks>(`permalinks/${of(id)}/links?${new URLSearchParams({ typeUrl, name })}`, {
        signal,
      }),
    enabled: key !== null,
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function clientResolvedQuery(clientId: string, params: ResolvedParams): ResolvedQueryOptions {
  return {
    queryKey: queryKeys.clientResolved(clientId, params),
    ...asking<Resolved>(`clients/${of(clientId)}/resolved?${resolvedSearch(params)}`),
    // Another page, or another profile: the one before stays in sight until it is here.
    placeholderData: keepPreviousData,
  };
}

export function permalinkResolvedQuery(id: string, params: ResolvedParams): ResolvedQueryOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'resolved', params],
    queryFn: ({ signal }) =>
      requestJson<Resolved>(`permalinks/${of(id)}/resolved?${resolvedSearch(params)}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function clientReferencesQuery(clientId: string, params: ReferencesParams): ReferencesQueryOptions {
  return {
    queryKey: [...queryKeys.clientReferences(clientId), params],
    ...asking<References>(`clients/${of(clientId)}/references?${referencesSearch(params)}`),
    placeholderData: keepPreviousData,
  };
}

export function permalinkReferencesQuery(id: string, params: ReferencesParams): ReferencesQueryOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'references', params],
    queryFn: ({ signal }) =>
      requestJson<References>(`permalinks/${of(id)}/references?${referencesSearch(params)}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  };
}

function referencesSearch({ kind, offset, limit }: ReferencesParams): URLSearchParams {
  return new URLSearchParams({ kind, offset: String(offset), limit: String(limit) });
}

/** Those of a client's whole history, or the ones nearest to a moment. */
export function requestTears(clientId: string, params: TearsParams, signal?: AbortSignal): Promise<Tears> {
  return requestJson<Tears>(`clients/${of(clientId)}/tears?${resolvedSearch(params)}`, { signal });
}

export function clientTearsQuery(clientId: string, params: TearsParams): TearsQueryOptions {
  return {
    queryKey: [...queryKeys.clientTears(clientId), params],
    queryFn: ({ signal }) => requestTears(clientId, params, signal),
    placeholderData: keepPreviousData,
  };
}

export function clientFindingsQuery(clientId: string, params: FindingsParams): FindingsQueryOptions {
  return {
    queryKey: [...queryKeys.clientFindings(clientId), params],
    ...asking<ClientFindings>(`clients/${of(clientId)}/findings?${toldSearch(params)}`),
    placeholderData: keepPreviousOf(params),
  };
}

export function permalinkFindingsQuery(id: string, params: FindingsParams): FindingsQueryOptions {
  return {
    queryKey: [...queryKeys.permalink(id), 'findings', params],
    queryFn: ({ signal }) =>
      requestJson<ClientFindings>(`permalinks/${of(id)}/findings?${toldSearch(params)}`, { signal }),
    placeholderData: keepPreviousOf(params),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** Another page of a list keeps the one before in sight; another resource must not show the findings of this one. */
function keepPreviousOf(params: FindingsParams): typeof keepPreviousData | undefined {
  return params.name === undefined ? keepPreviousData : undefined;
}

/** What is empty is left out: the server has its own defaults. A resource's name may be empty. */
function toldSearch({ name, ...params }: { readonly name?: string } & object): URLSearchParams {
  const told = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(told.map(([key, value]) => [key, String(value)]));
  if (name !== undefined) search.set('name', name);
  return search;
}

/** What is empty is left out: the server has its own defaults. */
function resolvedSearch(params: ResolvedParams | TearsParams): URLSearchParams {
  const told = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  return new URLSearchParams(told.map(([name, value]) => [name, String(value)]));
}

/** Ids may hold any character, so each opened aggregate is a parameter of its own. */
function graphSearch({ limit, expand = [], focus, find, resolve }: GraphParams): URLSearchParams {
  const search = new URLSearchParams(expand.map((id) => ['expand', id]));
  if (limit !== undefined) search.set('limit', String(limit));
  if (focus !== undefined && focus !== '') search.set('focus', focus);
  if (find !== undefined && find !== '') search.set('find', find);
  if (resolve !== undefined) {
    const { listener = '', ...manners } = resolve;
    for (const [name, value] of resolvedSearch(manners)) search.set(name, value);
    search.set('resolve', listener);
  }
  return search;
}
