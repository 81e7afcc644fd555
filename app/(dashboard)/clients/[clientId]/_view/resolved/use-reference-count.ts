'use client';

import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import type { ReferenceListKind } from '@/lib/api/resolved';
import { useClientViewQuery } from '../use-client-view-query';

/** Of a client with more, every body is read to count: only for who opens the list. */
const countedUnasked = 5_000;

/** How many are dangling, or orphans; undefined: not known (yet). */
export function useReferenceCount(kind: ReferenceListKind): number | undefined {
  const { client } = useClientViewData();
  const { query } = useClientViewQuery();
  const enabled = client.resources <= countedUnasked || query.list === kind;
  return useQuestion('references', { kind, limit: 0 }, { enabled }).data?.total;
}
