'use client';

import { useRef } from 'react';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { SizesAnswer } from '@/lib/api/sizes';
import { formatBytes } from '@/lib/format/bytes';
import { formatAxisTime } from '@/lib/view-model/history/layout-axis';
import { layoutGrowth } from '@/lib/view-model/sizes/layout-growth';
import { EmptyState } from '../../../../_components/empty-state';
import { Panel } from '../../../../_components/panel';
import { useElementSize } from '../../../../_drawings/history/use-element-size';
import { GrowthDrawing } from '../../../../_drawings/sizes/growth-drawing';

const heightPx = 180;

export function GrowthPanel({ growth, level }: Pick<SizesAnswer, 'growth' | 'level'>) {
  const timeZone = useTimeZone();
  const whom = level === 'type' ? 'this client' : 'all clients';
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const [first, last] = [growth[0], growth.at(-1)];
  const layout = widthPx > 0 && growth.length > 1 ? layoutGrowth(growth, { widthPx, heightPx }) : null;
  return (
    <Panel title="Growth" vantage={`${whom}, since the first measurement`} age={last?.at ?? null}>
      <div ref={box} style={{ minHeight: heightPx }}>
        {layout === null && (
          <EmptyState title="Not enough data yet">A sample is taken every 30 seconds.</EmptyState>
        )}
        {layout !== null && (
          <GrowthDrawing
            layout={layout}
            label={`Bytes of ${whom}: ${formatBytes(sumOf(first))} at first, ${formatBytes(sumOf(last))} now`}
            formatTick={(at) => formatAxisTime(at, layout.tickMs, timeZone)}
          />
        )}
      </div>
    </Panel>
  );
}

function sumOf(sample: SizesAnswer['growth'][number] | undefined): number {
  return (sample?.types ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
}
