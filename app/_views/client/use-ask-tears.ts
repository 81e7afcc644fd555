'use client';

import { type AskTears, clientQuestionOptions } from '@/app/_ask/client-question';
import { useClientViewData, useHasHistoryOf } from '@/app/_ask/client-view-data';
import { resolveStartOf, startParams } from './search-params';
import { useClientViewQuery } from './use-client-view-query';

/** Config tears of the client's log; null: the view has no log. */
export function useAskTears(): AskTears | null {
  const { client, storedAt } = useClientViewData();
  const { query } = useClientViewQuery(startParams);
  if (!useHasHistoryOf('history')) return null;
  return ({ to = storedAt }) =>
    clientQuestionOptions({ clientId: client.id }, 'tears', {
      ...resolveStartOf(query),
      ...(to !== null && { to }),
    });
}
