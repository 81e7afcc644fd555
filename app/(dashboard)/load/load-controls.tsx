'use client';

import type { inferParserType } from 'nuqs';
import { compareNames } from '@/lib/format/compare-names';
import { type LoadSpanName, loadSpans } from '@/lib/load/load-spans';
import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';
import { SelectField } from '../../_components/select-field';
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
const mostClients = 500;

/** What is shown of the load: its span, one cluster or client alone, and what is one line. */
export function LoadControls({ params, spanMs, onChange }: LoadControlsProps) {
  const { view, by, span, cluster, client, from, to } = params;
  const everything = { by: 'cluster', cluster: '', client, from, to, limit: mostClusters };
  const clusters = useLoadTotals(spanMs, everything).data?.groups ?? [];
  const reporters = useLoadTotals(spanMs, { ...everything, by: 'client', client: '', limit: mostClients });
  const clients = (reporters.data?.groups ?? []).flatMap(({ key, name }) =>
    key.clientId === undefined ? [] : [{ value: key.clientId, label: name }],
  );
  if (client !== '' && clients.every(({ value }) => value !== client)) {
    clients.push({ value: client, label: client });
  }
  const names = new Set(clusters.flatMap(({ key }) => key.clusterName ?? []));
  if (cluster !== '') names.add(cluster);
  return (
    <div className="flex flex-wrap items-end gap-3">
      {view === 'time' && (
        <div className="w-44">
          <SelectField
            label="Lines"
            value={by}
            options={loadGroupingChoices}
            onChange={(next) => onChange({ by: next })}
          />
        </div>
      )}
      <div className="w-52">
        <SelectField
          label="Cluster"
          value={cluster}
          options={[
            { value: '', label: 'all clusters' },
            ...[...names].sort().map((value) => ({ value, label: value })),
          ]}
          onChange={(next) => onChange({ cluster: next })}
        />
      </div>
      {view !== 'reporters' && view !== 'places' && (
        <div className="w-52">
          <SelectField
            label="Client"
            value={client}
            options={[
              { value: '', label: 'all clients' },
              ...clients.sort((a, b) => compareNames(a.label, b.label)),
            ]}
            onChange={(next) => onChange({ client: next })}
          />
        </div>
      )}
      {view === 'split' && (
        <div className="w-32">
          <SelectField
            label="Rules"
            value={params.rules}
            options={[
              { value: 'grpc', label: 'gRPC' },
              { value: 'envoy', label: 'Envoy' },
            ]}
            onChange={(next) => onChange({ rules: next })}
          />
        </div>
      )}
      <div className="w-44">
        <SelectField
          label="Span"
          value={from === '' ? span : 'chosen'}
          options={[
            ...loadSpans.map((value) => ({
              value,
              label: to === '' ? spanTexts[value] : `${value} before`,
            })),
            ...(from === '' ? [] : [{ value: 'chosen' as const, label: 'as chosen' }]),
          ]}
          onChange={(next) => next !== 'chosen' && onChange({ span: next, from: '' })}
        />
      </div>
      <TimeExtent extent={{ from, to }} onChange={onChange} />
    </div>
  );
}
