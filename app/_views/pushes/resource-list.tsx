'use client';

import { useRef, useState } from 'react';
import { omitEmpty } from '@/app/_ask/query-text';
import { useQuestion } from '@/app/_ask/use-question';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { TypeField } from '@/app/_components/type-field';
import { ChurnDrawing } from '@/app/_drawings/churn/churn-drawing';
import { Crosshair } from '@/app/_drawings/crosshair';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { resolveTimes } from '@/app/_hooks/extent';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';
import { type ChurnLayout, churnScale, formatRate, layoutChurn } from '@/lib/views/churn/layout-churn';
import type { Churn } from '@/lib/views/churn/schema';
import { formatAxisTime } from '@/lib/views/history/layout-axis';
import {
  changeColumns,
  changeId,
  narrowChangeColumns,
  narrowUnchangedColumns,
  unchangedColumns,
  unchangedId,
} from './churn-columns';

interface ResourceListProps {
  readonly params: { readonly type: string; readonly from: string; readonly to: string };
  readonly onTypeChange: (type: string) => void;
}

/** Lists the resources that change most, and the responses that were sent without need. */
export function ResourceList({ params: { type, from, to }, onTypeChange }: ResourceListProps) {
  const { data: health } = useQuestion('health', {});
  const oldestAt = health?.recorder.oldestAt ?? null;
  // A rate is over what was recorded of the time range.
  const isBeforeLog = oldestAt !== null && (resolveTimes({ from, to }).from ?? 0) < oldestAt;
  const begin = isBeforeLog ? oldestAt : from;
  const { data, error, refetch } = useQuestion('churn', { ...omitEmpty({ type }), from: begin, to });
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <TypeField value={type} onChange={onTypeChange} className="w-44" />
        {data !== undefined && data.notes.length > 0 && <p className="note">{data.notes.join(' ')}</p>}
      </div>
      <QueryContent query={{ data, error, refetch }} what="what was sent" rows={10}>
        {(data) => <Reported churn={data} />}
      </QueryContent>
    </>
  );
}

function Reported({ churn }: { readonly churn: Churn }) {
  const isNarrow = useIsNarrow();
  const { resources, resourceCount, unchanged, bucketMs } = churn;
  // The sparklines span what was recorded of the time range.
  const recordedFrom = Math.min(...churn.types.flatMap(({ buckets }) => buckets.map(({ at }) => at)));
  const until = churn.until;
  const from = Number.isFinite(recordedFrom) ? recordedFrom : churn.from;
  const range = { from, until, bucketMs };
  const shown =
    resourceCount > resources.length ? `${resources.length} of ${resourceCount} changed resources` : '';
  return (
    <>
      <Panel
        title="Most changed"
        vantage="each change counts once, even if several sources report it"
        partial={shown}
        flush
      >
        <DataTable
          label="Resources that change most"
          rows={resources.map((resource) => ({ ...resource, ...range }))}
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
      <Panel title="Response bytes/min by type" vantage="each row has its own scale">
        <ChurnSeries churn={churn} />
      </Panel>
    </>
  );
}

function ChurnSeries({ churn }: { readonly churn: Churn }) {
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const { types, bucketMs } = churn;
  const spanMs = churn.until - churn.from;
  const [pointed, setPointed] = useState<number | null>(null);
  const layout = widthPx > 0 ? layoutChurn(churn, widthPx) : null;
  const formatTick = (at: number) => formatAxisTime(at, bucketMs, timeZone);
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
          <Crosshair
            plot={layout.plot}
            heightPx={layout.heightPx}
            scale={churnScale(churn, layout.plot)}
            pointed={pointed}
            onPoint={setPointed}
            format={(at) => `${formatTick(at)} ${describeBars(layout, at, bucketMs)}`}
          >
            <ChurnDrawing
              layout={layout}
              label={`Response bytes/min by type: ${types.map(({ service }) => service).join(', ')}`}
              formatTick={formatTick}
            />
          </Crosshair>
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

/** "CDS 12 kB/min, 3 responses; EDS ..." of the steps at a time. */
function describeBars({ rows }: ChurnLayout, at: number, bucketMs: number): string {
  const found = rows.flatMap(({ service, bars }) => {
    const bar = bars.find((each) => each.at <= at && at < each.at + bucketMs);
    return bar === undefined ? [] : [`${service} ${bar.text}`];
  });
  return found.length === 0 ? 'no responses' : found.join('; ');
}
