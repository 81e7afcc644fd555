'use client';

import type { inferParserType } from 'nuqs';
import { omitEmpty } from '@/app/_ask/query-text';
import { useQuestion } from '@/app/_ask/use-question';
import { ChoiceBox } from '@/app/_components/choice-box';
import { ClientChooser } from '@/app/_components/client-chooser';
import { SelectField } from '@/app/_components/select-field';
import { TailControl } from '@/app/_components/tail-control';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { compareNames } from '@/lib/format/compare-names';
import { splitPartOf } from '@/lib/lb/split-part';
import { chooseLoadStep } from '@/lib/load/choose-step';
import { floorTo } from '@/lib/load/plan-load-reading';
import { followRange, pauseRange } from '@/lib/time/time-range';
import { loadGroupingChoices } from '@/lib/views/load/load-choices';
import type { LoadTotalsAnswer } from '@/lib/views/load/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { loadSearchParams } from './search-params';
import { RulesField, SplitPartField } from './split-fields';

type Params = inferParserType<typeof loadSearchParams>;

interface LoadControlsProps {
  readonly params: Params;
  readonly onChange: (change: Partial<Params>) => void;
}

const mostClusters = 500;
const mostHeldBackMs = 60_000;

export function LoadControls({ params, onChange }: LoadControlsProps) {
  const { view, by, cluster, client } = params;
  const { range, extent, isLive, setRange } = useTimeRange();
  const reported = useQuestion('load/totals', {
    ...{ by: 'cluster', ...omitEmpty({ client }), ...extent, limit: mostClusters },
  }).data;
  const clusters = reported?.groups ?? [];
  const names = new Set(clusters.flatMap(({ key }) => key.clusterName ?? []));
  if (cluster !== '') names.add(cluster);
  return (
    <div className="flex flex-wrap items-end gap-3">
      {view === 'time' && (
        <SelectField
          className="w-44"
          label="Group by"
          value={by}
          options={loadGroupingChoices}
          onChange={(next) => onChange({ by: next })}
        />
      )}
      <div className="w-52">
        <ClusterField
          value={cluster}
          names={[...names].sort(compareNames)}
          isWhole={clusters.length < mostClusters}
          onChange={(next) => onChange({ cluster: next })}
        />
      </div>
      {view !== 'reporters' && view !== 'places' && (
        <ClientChooser
          label="Client"
          word="Client"
          clientId={client}
          allText="all clients"
          onChange={(next) => onChange({ client: next })}
          className="w-60"
        />
      )}
      {view === 'split' && (
        <>
          <SplitPartField value={splitPartOf(by)} onChange={(next) => onChange({ by: next })} />
          <RulesField value={params.rules} onChange={(rules) => onChange({ rules })} />
        </>
      )}
      {view !== 'newest' && (
        <TailControl
          isPaused={!isLive}
          onChange={(isPaused) => {
            const context = { now: Date.now(), timeZone: 'UTC' };
            setRange(
              isPaused ? pauseRange(range, pauseAt(reported), context) : followRange(range, context),
              'replace',
            );
          }}
        />
      )}
    </div>
  );
}

/** The end of the last complete step, by the server's clock if known. */
function pauseAt(reported: LoadTotalsAnswer | undefined): EpochMs {
  if (reported === undefined) return Date.now();
  const [from, to] = [reported.from, reported.to];
  return floorTo(to, Math.min(chooseLoadStep(to - from), mostHeldBackMs));
}

interface ClusterFieldProps {
  readonly value: string;
  readonly names: readonly string[];
  readonly isWhole: boolean;
  readonly onChange: (name: string) => void;
}

/** A list of clusters; if there are more, the ones with the most requests, and any other by name. */
function ClusterField({ value, names, isWhole, onChange }: ClusterFieldProps) {
  const choices = [{ id: '', text: 'all clusters' }, ...names.map((name) => ({ id: name, text: name }))];
  if (isWhole) {
    const options = choices.map(({ id, text }) => ({ value: id, label: text }));
    return <SelectField label="Cluster" value={value} options={options} onChange={onChange} />;
  }
  return (
    <ChoiceBox
      label="Cluster"
      word="Cluster"
      current={value === '' ? 'all clusters' : value}
      choices={choices}
      placeholder="a cluster's name"
      onChoose={onChange}
      onType={(text) => {
        onChange(text.trim());
        return '';
      }}
    />
  );
}
