'use client';

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { CertificatePage } from '@/lib/api/certificates';
import type { DescriptorSet } from '@/lib/api/descriptor-sets';
import type { ExportEstimate } from '@/lib/api/exports';
import type { FileImport, ImportProblems } from '@/lib/api/imports';
import type { FleetStrip, Issue, IssuePage } from '@/lib/api/issues';
import type { LabResource, LabStatus } from '@/lib/api/lab';
import type { NackDetail, NackPage } from '@/lib/api/nacks';
import type { Pin } from '@/lib/api/pins';
import type { Replay } from '@/lib/api/replays';
import type {
  CredentialsShown,
  Health,
  LoadRowsPage,
  NotableEvent,
  ResourceBody,
  Source,
  SourcePage,
} from '@/lib/api/schema';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { answerOf, itemsOf } from './answer-of';
import { requestJson } from './api-client';
import { resolveExtent } from './extent';
import {
  type BodyFormat,
  type Extent,
  eventLimit,
  type IssueParams,
  type NackParams,
  queryKeys,
} from './query-keys';

const healthIntervalMs = 10_000;

const of = encodeURIComponent;

export function useHealth() {
  return useQuery({
    ...answerOf<Health>(queryKeys.health, 'health'),
    // The stream has no topic for the growth of the recorder.
    refetchInterval: healthIntervalMs,
  });
}

export function usePins() {
  return useQuery(itemsOf<Pin>(queryKeys.pins, 'pins'));
}

/** `query`: of the URL. */
export function useExportEstimate(query: string) {
  return useQuery(answerOf<ExportEstimate>(queryKeys.exportEstimate(query), `export/estimate?${query}`));
}

export function useReplays() {
  return useQuery(itemsOf<Replay>(queryKeys.replays, 'replays'));
}

export function useImports() {
  return useQuery(itemsOf<FileImport>(queryKeys.imports, 'imports'));
}

export function useImportProblems(importId: string, page: number, perPage: number) {
  return useQuery(
    answerOf<ImportProblems>(
      queryKeys.importProblems(importId, page),
      `imports/${encodeURIComponent(importId)}/problems?offset=${page * perPage}&limit=${perPage}`,
    ),
  );
}

export function useSources() {
  return useQuery(itemsOf<Source>(queryKeys.sources, 'sources'));
}

/** The config file is read at the start only. */
export function useCredentials() {
  return useQuery({
    ...itemsOf<CredentialsShown>(queryKeys.credentials, 'credentials'),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useDescriptorSets() {
  return useQuery(itemsOf<DescriptorSet>(queryKeys.descriptorSets, 'descriptor-sets'));
}

export function useEvents() {
  return useQuery(itemsOf<NotableEvent>(queryKeys.events, `events?limit=${eventLimit}`));
}

/** Empty texts mean all clients and all clusters. */
export function useLoad({ client, cluster }: { readonly client: string; readonly cluster: string }) {
  const search = new URLSearchParams({ ...(client && { client }), ...(cluster && { cluster }) }).toString();
  return useQuery({
    ...answerOf<LoadRowsPage>([...queryKeys.load, 'newest', search], `load?${search}`),
    placeholderData: keepPreviousData,
  });
}

export function useLab() {
  return useQuery(answerOf<LabStatus>(queryKeys.lab, 'lab'));
}

export function useLabResources(isEnabled = true) {
  return useQuery({
    ...itemsOf<LabResource>(queryKeys.labResources, 'lab/resources'),
    enabled: isEnabled,
  });
}

/** The body of a hash never changes and is fetched once. */
export function resourceBodyOptions(hash: string, format: BodyFormat) {
  return {
    ...answerOf<ResourceBody>(
      queryKeys.resourceBody(hash, format),
      `resources/${of(hash)}?format=${format}&meta=1`,
    ),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function useResourceBody(hash: string | null, format: BodyFormat = 'yaml') {
  return useQuery({
    ...resourceBodyOptions(hash ?? '', format),
    enabled: hash !== null,
    refetchOnMount: false,
  });
}

export function useNacks(params: NackParams, limit: number) {
  const query = new URLSearchParams({ limit: String(limit) });
  const { from = '', to = '', ...filter } = params;
  for (const [name, value] of Object.entries({ ...filter, ...resolveExtent({ from, to }) })) {
    if (value) query.set(name, value);
  }
  return useQuery({
    ...answerOf<NackPage>(queryKeys.nackPage(params, limit), `nacks?${query}`),
    // The previous list stays until the list of the new filter is fetched.
    placeholderData: keepPreviousData,
  });
}

const issuesMs = 5_000;

export function useIssues(params: IssueParams) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, String(value));
  return useQuery({
    ...answerOf<IssuePage>(queryKeys.issuePage(params), `issues?${query}`),
    // Some issues count only after a time without an observation, and effective configs change.
    refetchInterval: issuesMs,
    placeholderData: keepPreviousData,
  });
}

/** `oldestAt`: the beginning of the recording, for a range that begins there; null: not known. */
export function useFleetStrip(extent: Extent, oldestAt: string | null) {
  const begin = extent.from === 'oldest' ? oldestAt : null;
  return useQuery({
    queryKey: queryKeys.fleetStrip(extent, begin),
    queryFn: ({ signal }) => {
      const { from, to } = resolveExtent(extent);
      const start = from || begin;
      const query = new URLSearchParams({ ...(start && { from: start }), ...(to && { to }) });
      return requestJson<FleetStrip>(`issues/strip?${query}`, { signal });
    },
    refetchInterval: issuesMs,
    placeholderData: keepPreviousData,
  });
}

export function useIssue(issueId: string) {
  return useQuery(answerOf<Issue>(queryKeys.issue(issueId), `issues/${of(issueId)}`));
}

export function useNack(groupId: string) {
  return useQuery(answerOf<NackDetail>(queryKeys.nackDetail(groupId), `nacks/${of(groupId)}`));
}

/** The group of the NACK that a client has now for a resource; undefined: not known. */
export function useNackOf(clientId: string, resource: ResourceKey, isEnabled: boolean) {
  const { typeUrl, name } = resource;
  const query = new URLSearchParams({
    client: clientId,
    type: typeUrl,
    resource: name,
    state: 'open',
    limit: '50',
  });
  return useQuery({
    ...answerOf<NackPage>(queryKeys.nackOf(clientId, typeUrl, name), `nacks?${query}`),
    select: ({ items }) => items.find((group) => group.name === name),
    enabled: isEnabled,
  });
}

const perPage = 200;
/** The stream has no topic for the targets of lists, which may be thousands. */
const refreshMs = 5_000;

/** The targets of a list, page by page; those that are down first. */
export function useListMembers(listId: string, text: string) {
  return useInfiniteQuery({
    queryKey: [...queryKeys.sources, 'of', listId, text],
    queryFn: ({ pageParam, signal }) => {
      const search = new URLSearchParams({ list: listId, offset: `${pageParam}`, limit: `${perPage}` });
      if (text !== '') search.set('q', text);
      return requestJson<SourcePage>(`sources?${search}`, { signal });
    },
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const read = pages.reduce((sum, { items }) => sum + items.length, 0);
      return read < total ? read : undefined;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

/** Certificates change rarely, and Envoys are polled once a minute. */
const certificatesMs = 30_000;
export const certificatesPerPage = 200;
/** The largest number that the API answers. */
const mostOfClient = 1_000;

export function useClientCertificates(clientId: string) {
  return useCertificatePage(new URLSearchParams({ client: clientId, limit: String(mostOfClient) }));
}

export function useCertificates({ q, offset }: { readonly q: string; readonly offset: number }) {
  const limit = String(certificatesPerPage);
  return useCertificatePage(new URLSearchParams({ limit, offset: String(offset), ...(q !== '' && { q }) }));
}

function useCertificatePage(search: URLSearchParams) {
  return useQuery({
    ...answerOf<CertificatePage>(['certificates', search.toString()], `certificates?${search}`),
    refetchInterval: certificatesMs,
    placeholderData: keepPreviousData,
  });
}
