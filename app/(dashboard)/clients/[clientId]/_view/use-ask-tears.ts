'use client';

import type { UseQueryOptions } from '@tanstack/react-query';
import { clientQuestionOptions } from '@/app/_ask/client-question';
import type { Tears } from '@/lib/api/resolved';
import { resolveStartOf } from '../search-params';
import { useClientViewData, useHasHistoryOf } from './client-view-data';
import { useClientViewQuery } from './use-client-view-query';

/** `to`: ISO time, the end of the history that is read; absent: the end of the view. */
export type AskTears = (part: { readonly to?: string }) => UseQueryOptions<Tears>;

/** Config tears in the log of the client; null: the log is not part of this view. */
export function useAskTears(): AskTears | null {
  const { client, storedAt } = useClientViewData();
  const { query } = useClientViewQuery();
  if (!useHasHistoryOf('history')) return null;
  const end = storedAt === null ? {} : { to: storedAt };
  return (part) =>
    clientQuestionOptions({ clientId: client.id }, 'tears', { ...resolveStartOf(query), ...end, ...part });
}
