'use client';

import { useClientViewData } from '@/app/_ask/client-view-data';
import { RulesField } from '@/app/_components/rules-field';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { SelectField } from '@/app/_components/select-field';
import { SplitPartField } from '@/app/_components/split-part-field';
import { TailControl } from '@/app/_components/tail-control';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { compareNames } from '@/lib/format/compare-names';
import { splitPartOf } from '@/lib/lb/split-part';
import { followRange, pauseRange } from '@/lib/time/time-range';
import { useClientViewQuery } from '../use-client-view-query';
import { clientLoadChoices } from './load-choices';
import { loadParams } from './search-params';
import { useReportedClusters } from './use-reported-clusters';

const views = [
  { value: 'time', label: 'Over time' },
  { value: 'split', label: 'Expected vs. actual' },
] as const;

/** Filters of the client's load over the time range of the header. */
export function LoadChooser() {
  const { client, snapshotAt, subject } = useClientViewData();
  const { query, setQuery } = useClientViewQuery(loadParams);
  const { range, isLive, setRange } = useTimeRange();
  const { load, by, rules } = query;
  const reported = useReportedClusters();
  const cluster = load === 'split' ? reported.splitCluster : query.cluster;
  const names = new Set(reported.names);
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
          ...(load === 'split' && cluster !== '' ? [] : [{ value: '', label: 'all clusters' }]),
          ...[...names].sort(compareNames).map((value) => ({ value, label: value })),
        ]}
        onChange={(next) => setQuery({ cluster: next })}
      />
      {load === 'split' && 'clientId' in subject && (
        <SplitPartField value={splitPartOf(by)} onChange={(next) => setQuery({ by: next })} />
      )}
      {load === 'split' && <RulesField value={rules} onChange={(next) => setQuery({ rules: next })} />}
      {isNow && (
        <TailControl
          isPaused={!isLive}
          onChange={(isPaused) => {
            const context = { now: Date.now(), timeZone: 'UTC' };
            const at = reported.to === undefined ? context.now : reported.to;
            setRange(isPaused ? pauseRange(range, at, context) : followRange(range, context), 'replace');
          }}
        />
      )}
    </div>
  );
}
