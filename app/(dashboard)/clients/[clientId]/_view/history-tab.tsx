'use client';

import { HistoryView } from '@/app/(dashboard)/history/_view/history-view';
import { resolveStartOf } from '../search-params';
import { useClientViewData } from './client-view-data';
import { useClientViewQuery } from './use-client-view-query';

/** What happened to one client, and when what it used did not fit together. */
export function HistoryTab() {
  const { client, tearsQuery } = useClientViewData();
  const { query } = useClientViewQuery();
  return (
    <HistoryView
      clientId={client.id}
      clients={null}
      tearsQuery={tearsQuery === null ? null : tearsQuery(resolveStartOf(query))}
    />
  );
}
