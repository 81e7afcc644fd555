'use client';

import { useQueryStates } from 'nuqs';
import { useRef } from 'react';
import { EmptyState } from '@/app/_components/empty-state';
import { TypeField } from '@/app/_components/type-field';
import { ChurnDrawing } from '@/app/_drawings/churn/churn-drawing';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { Churn } from '@/lib/api/churn';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';
import { formatRate, layoutChurn } from '@/lib/view-model/churn/layout-churn';
import { formatAxisTime } from '@/lib/view-model/history/layout-axis';
import { ConvergenceTabs } from '../../_components/convergence-tabs';
import { DataTable } from '../../_components/data-table';
import { Panel } from '../../_components/panel';
import { QueryContent } from '../../_components/query-content';
import { SelectField } from '../../_components/select-field';
import { PageBody } from '../../_components/shell/page-body';
import { PageHead } from '../../_components/shell/page-head';
import { TimeExtent } from '../../_components/time-extent';
import { useChurn } from '../../_hooks/convergence-queries';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import {
  changeColumns,
  changeId,
  narrowChangeColumns,
  narrowUnchangedColumns,
  unchangedColumns,
  unchangedId,
} from './churn-columns';
import { type ChurnSpan, churnSearchParams, churnSpanMs, churnSpans } from './search-params';

const spanTexts: Readonly<Record<ChurnSpan, string>> = {
  '15m': 'last 15 minutes',
  '1h': 'last hour',
  '6h': 'last 6 hours',
  '24h': 'last 24 hours',
};

export function ChurnPage() {
  const [{ span, type, from, to }, setParams] = useQueryStates(churnSearchParams);
  const { data, error, refetch } = useChurn(churnSpanMs[span], type, { from, to });
  return (
    <PageBody>
      <PageHead
        title="Churn"
        vantage="push volume, as seen by taps, the probe and CSDS"
        partial={data?.notes.join(' ')}
      />
      <ConvergenceTabs current="churn" />
      <div className="flex flex-wrap gap-3">
        <SelectField
          className="w-44"
          label="Time range"
          value={from === '' ? span : 'chosen'}
          options={[
            ...churnSpans.map((value) => ({
              value,
              label: to === '' ? spanTexts[value] : `${value} before end`,
            })),
            ...(from === '' ? [] : [{ value: 'chosen' as const, label: 'custom' }]),
          ]}
          onChange={(next) => next !== 'chosen' && void setParams({ span: next, from: null })}
        />
        <TypeField value={type} onChange={(next) => void setParams({ type: next })} className="w-44" />
        <TimeExtent extent={{ from, to }} onChange={(change) => void setParams(change)} />
      </div>
      <QueryContent query={{ data, error, refetch }} what="the churn" rows={10}>
        {(data) => <Reported churn={data} />}
      </QueryContent>
    </PageBody>
  );
}

function Reported({ churn }: { readonly churn: Churn }) {
  const isNarrow = useIsNarrow();
  const { resources, resourceCount, unchanged } = churn;
  const shown =
    resourceCount > resources.length ? `${resources.length} of ${resourceCount} changed resources` : '';
  return (
    <>
      <Panel title="Response bytes/min by type" vantage="each row has its own scale">
        <ChurnSeries churn={churn} />
      </Panel>
      <Panel
        title="Most changed"
        vantage="each change counts once, even if several sources report it"
        partial={shown}
        flush
      >
        <DataTable
          label="Resources that change most"
          rows={resources}
          columns={isNarrow ? narrowChangeColumns : changeColumns}
          rowId={changeId}
          className="max-h-96 min-h-32"
          empty={<EmptyState title="No changes in this time range" />}
        />
      </Panel>
      <Panel title="Redundant pushes" vantage="a new version with unchanged content" flush>
        <DataTable
          label="Pushes with a new version and equal content"
          rows={unchanged}
          columns={isNarrow ? narrowUnchangedColumns : unchangedColumns}
          rowId={unchangedId}
          className="max-h-96 min-h-32"
          empty={<EmptyState title="No redundant pushes" />}
        />
      </Panel>
    </>
  );
}

function ChurnSeries({ churn }: { readonly churn: Churn }) {
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const { types, bucketMs } = churn;
  const spanMs = Date.parse(churn.until) - Date.parse(churn.from);
  const layout = widthPx > 0 ? layoutChurn(churn, widthPx) : null;
  if (types.length === 0) {
    return (
      <EmptyState title="No responses in this time range">
        Taps and the probe see the size of responses; CSDS reports only the resources that clients hold.
      </EmptyState>
    );
  }
  return (
    <>
      <div ref={box}>
        {layout !== null && (
          <ChurnDrawing
            layout={layout}
            label={`Response bytes/min by type: ${types.map(({ service }) => service).join(', ')}`}
            formatTick={(at) => formatAxisTime(at, bucketMs, timeZone)}
          />
        )}
      </div>
      <table className="mt-3 w-full max-w-xl text-right tabular-nums">
        <thead className="note">
          <tr>
            <th className="text-left font-normal">Type</th>
            <th className="font-normal">Bytes</th>
            <th className="font-normal">Bytes/min</th>
            <th className="font-normal">Responses</th>
          </tr>
        </thead>
        <tbody>
          {types.map(({ typeUrl, service, bytes, responses }) => (
            <tr key={typeUrl}>
              <th className="text-left font-normal" title={typeUrl}>
                {service}
              </th>
              <td>{formatBytes(bytes)}</td>
              <td>{formatRate(bytes, spanMs)}</td>
              <td>{formatCount(responses)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
