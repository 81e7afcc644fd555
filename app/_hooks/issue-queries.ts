'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { FleetStrip, Issue, IssuePage } from '@/lib/api/issues';
import { answerOf } from './answer-of';
import { requestJson } from './api-client';
import { resolveExtent } from './extent';
import { type Extent, type IssueParams, queryKeys } from './query-keys';

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
  return useQuery(answerOf<Issue>(queryKeys.issue(issueId), `issues/${encodeURIComponent(issueId)}`));
}
