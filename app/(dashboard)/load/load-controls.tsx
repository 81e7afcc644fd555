'use client';

import type { inferParserType } from 'nuqs';
import { chooseLoadStep } from '@/lib/load/choose-step';
import { type LoadSpanName, loadSpans } from '@/lib/load/load-spans';
import { floorTo } from '@/lib/load/plan-load-reading';
import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';
import { ChoiceBox } from '../../_components/choice-box';
import { ClientChooser } from '../../_components/client-chooser';
import { RulesField } from '../../_components/rules-field';
import { SelectField } from '../../_components/select-field';
import { TailControl } from '../../_components/tail-control';
import { TimeExtent } from '../../_components/time-extent';
import { useLoadTotals } from '../../_hooks/load-queries';
import type { loadSearchParams } from './search-params';

type Params = inferParserType<typeof loadSearchParams>;

interface LoadControlsProps {
  readonly params: Params;
  readonly spanMs: number;
  readonly onChange: (change: Partial<Params>) => void;
}

export const spanTexts: Readonly<Record<LoadSpanName, string>> = {
  '15m': 'last 15 minutes',
  '1h': 'last hour',
  '6h': 'last 6 hours',
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
};
const mostClusters = 500;
const mostHeldBackMs = 60_000;

export function LoadControls({ params, spanMs, onChange }: LoadControlsProps) {
  const { view, by, span, cluster, client, from, to } = params;
  const everything = { by: 'cluster', cluster: '', client, from, to, limit: mostClusters };
  const reported = useLoadTotals(spanMs, everything).data;
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
          names={[...names].sort()}
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
      {view === 'split' && <RulesField value={params.rules} onChange={(rules) => onChange({ rules })} />}
      {view !== 'newest' && (
        <SelectField
          className="w-44"
          label="Time range"
          value={from === '' ? span : 'chosen'}
          options={[
            ...loadSpans.map((value) => ({
              value,
              label: to === '' ? spanTexts[value] : `${value} before end`,
            })),
            ...(from === '' ? [] : [{ value: 'chosen' as const, label: 'custom' }]),
          ]}
          onChange={(next) => next !== 'chosen' && onChange({ span: next, from: '' })}
        />
      )}
      {view !== 'newest' && <TimeExtent extent={{ from, to }} onChange={onChange} />}
      {view !== 'newest' && (
        <TailControl
          isPaused={to !== ''}
          onChange={(isPaused) => onChange({ to: isPaused ? pauseAt(reported?.to, spanMs) : '' })}
        />
      )}
    </div>
  );
}

/** The end of the last complete step, by the server's clock if known. */
function pauseAt(now: string | undefined, spanMs: number): string {
  const at = now === undefined ? Date.now() : Date.parse(now);
  return new Date(floorTo(at, Math.min(chooseLoadStep(spanMs), mostHeldBackMs))).toISOString();
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
