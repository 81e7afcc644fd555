'use client';

import { useRef } from 'react';
import type { Churn } from '@/lib/api/churn';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';
import { formatRate, layoutChurn } from '@/lib/view-model/churn/layout-churn';
import { formatAxisTime } from '@/lib/view-model/history/layout-axis';
import { browserTimeZone } from '../../_components/browser-time-zone';
import { EmptyState } from '../../_components/empty-state';
import { ChurnDrawing } from '../../_drawings/churn/churn-drawing';
import { useElementSize } from '../../_drawings/history/use-element-size';

/** Series by type, and the same in numbers. */
export function ChurnSeries({ churn }: { readonly churn: Churn }) {
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const { types, bucketMs } = churn;
  const spanMs = Date.parse(churn.until) - Date.parse(churn.from);
  const layout = widthPx > 0 ? layoutChurn(churn, widthPx) : null;
  if (types.length === 0) {
    return (
      <EmptyState title="No response was seen in this span">
        Bytes are seen by taps and by the probe: CSDS reports only what clients hold.
      </EmptyState>
    );
  }
  return (
    <>
      <div ref={box}>
        {layout !== null && (
          <ChurnDrawing
            layout={layout}
            label={`Bytes a minute by type: ${types.map(({ service }) => service).join(', ')}`}
            formatTick={(at) => formatAxisTime(at, bucketMs, browserTimeZone())}
          />
        )}
      </div>
      <table className="mt-3 w-full max-w-xl text-right tabular-nums">
        <thead className="text-[0.8571rem] text-muted">
          <tr>
            <th className="text-left font-normal">Type</th>
            <th className="font-normal">Bytes</th>
            <th className="font-normal">a minute</th>
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
