'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { NackDetail, NackPage } from '@/lib/api/nacks';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { answerOf } from './answer-of';
import { resolveExtent } from './extent';
import { type NackParams, queryKeys } from './query-keys';

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

export function useNack(groupId: string) {
  return useQuery(
    answerOf<NackDetail>(queryKeys.nackDetail(groupId), `nacks/${encodeURIComponent(groupId)}`),
  );
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
