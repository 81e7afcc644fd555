'use client';

import { useQuery } from '@tanstack/react-query';
import { clientLoadSeriesOptions } from '@/app/_ask/client-load';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { RulesField } from '@/app/_components/rules-field';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { SelectField } from '@/app/_components/select-field';
import { TailControl } from '@/app/_components/tail-control';
import { type LoadSpanName, loadSpans } from '@/lib/load/load-spans';
import { useClientViewQuery } from '../use-client-view-query';
import { clientLoadChoices } from './load-choices';

const views = [
  { value: 'time', label: 'Over time' },
  { value: 'split', label: 'Expected vs. actual' },
] as const;

const lengths: Readonly<Record<LoadSpanName, string>> = {
  '15m': '15 minutes',
  '1h': '60 minutes',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
};
const mostClusters = 500;

interface LoadChooserProps {
  /** ISO 8601: the end of the shown time; undefined: live. */
  readonly pausedAt: string | undefined;
  readonly onPause: (at: string | undefined) => void;
}

/** Filters of the client's load; the scrubber sets the end of the time range. */
export function LoadChooser({ pausedAt, onPause }: LoadChooserProps) {
  const { client, subject, snapshotAt } = useClientViewData();
  const { query, setQuery } = useClientViewQuery();
  const { load, by, cluster, span, rules } = query;
  const reported = useQuery(
    clientLoadSeriesOptions(subject, { by: 'cluster', cluster: '', span, limit: mostClusters, to: pausedAt }),
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
      <SelectField
        className="w-52"
        label="Time range"
        value={span}
        // A permalink stores one time range.
        options={(snapshotAt === null ? loadSpans : [span]).map((value) => ({
          value,
          label: isNow && pausedAt === undefined ? `last ${lengths[value]}` : `${lengths[value]} before end`,
        }))}
        onChange={(next) => setQuery({ span: next })}
      />
      {isNow && (
        <TailControl
          isPaused={pausedAt !== undefined}
          onChange={(isPaused) => onPause(isPaused ? (reported?.to ?? new Date().toISOString()) : undefined)}
        />
      )}
    </div>
  );
}
