'use client';

import { useMemo } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import type { ShownMoment } from '@/app/_drawings/history/moment-axis';
import { findTime } from '@/lib/format/iso-time';
import { useAskTears } from '../client/use-ask-tears';
import { useTravel } from '../scrubber/use-travel';
import { HistoryView } from './history-view';

export function HistoryTab() {
  const { client, storedAt, storedQuery } = useClientViewData();
  const askTears = useAskTears();
  const { at: wanted, go } = useTravel();
  const { moment: shown } = client;
  const wantedAt = findTime(wanted);
  const moment = useMemo(
    (): ShownMoment => ({
      // The chosen time, also while its data is loading.
      at: wantedAt ?? shown?.at ?? null,
      isChosen: wanted !== '',
      onGo: (at, isFirst) => go({ at }, isFirst ? 'push' : 'replace'),
    }),
    [shown, wanted, wantedAt, go],
  );
  const stored = useMemo(
    () => (storedAt === null ? undefined : { until: storedAt, query: storedQuery }),
    [storedAt, storedQuery],
  );
  return (
    <HistoryView
      clientId={client.id}
      askTears={askTears}
      // The time of a permalink is fixed.
      moment={stored === undefined ? moment : null}
      title={`History of ${client.nodeId}`}
      stored={stored}
    />
  );
}
