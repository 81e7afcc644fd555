'use client';

import { useQuery } from '@tanstack/react-query';
import { clientLoadSeriesOptions } from '@/app/_ask/client-load';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { RulesField } from '@/app/_components/rules-field';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { SelectField } from '@/app/_components/select-field';
import { TailControl } from '@/app/_components/tail-control';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { followRange, pauseRange } from '@/lib/time/time-range';
import { useClientViewQuery } from '../use-client-view-query';
import { clientLoadChoices } from './load-choices';

const views = [
  { value: 'time', label: 'Over time' },
  { value: 'split', label: 'Expected vs. actual' },
] as const;

const mostClusters = 500;

/** Filters of the client's load over the time range of the header. */
export function LoadChooser() {
  const { client, subject, snapshotAt } = useClientViewData();
  const { query, setQuery } = useClientViewQuery();
  const { range, extent, isLive, setRange } = useTimeRange();
  const { load, by, cluster, rules } = query;
  const reported = useQuery(
    clientLoadSeriesOptions(subject, { by: 'cluster', cluster: '', extent, limit: mostClusters }),
  ).data;
  const names = new Set(reported?.groups.flatMap(({ key }) => key.clusterName ?? []));
  if (cluster !== '') names.add(cluster);
  const isNow = client.moment === undefined && snapshotAt === null;
  return (
    <div className="flex flex-wrap items-end gap-3 border-b border-line px-4 py-2">
      <SegmentedChoice
        label="Load view"
        value={load}
        options={views}
        onChange={(next) => setQuery({ load: next })}
      />
      {load === 'time' && (
        <SelectField
          className="w-44"
          label="Group by"
          value={by}
          options={clientLoadChoices}
          onChange={(next) => setQuery({ by: next })}
        />
      )}
      <SelectField
        className="w-52"
        label="Cluster"
        value={cluster}
        options={[
          { value: '', label: load === 'split' ? 'choose one' : 'all clusters' },
          ...[...names].sort().map((value) => ({ value, label: value })),
        ]}
        onChange={(next) => setQuery({ cluster: next })}
      />
      {load === 'split' && <RulesField value={rules} onChange={(next) => setQuery({ rules: next })} />}
      {isNow && (
        <TailControl
          isPaused={!isLive}
          onChange={(isPaused) => {
            const context = { now: Date.now(), timeZone: 'UTC' };
            const at = reported === undefined ? context.now : Date.parse(reported.to);
            setRange(isPaused ? pauseRange(range, at, context) : followRange(range, context), 'replace');
          }}
        />
      )}
    </div>
  );
}
