'use client';

import { useRef, useState } from 'react';
import { StatusMark } from '@/app/_components/status-mark';
import { Crosshair } from '@/app/_drawings/crosshair';
import { useElementSize } from '@/app/_drawings/history/use-element-size';
import { ConvergenceDrawing } from '@/app/_drawings/pushes/convergence-drawing';
import { HopsDrawing, hopLabelsPx } from '@/app/_drawings/pushes/hops-drawing';
import { formatDuration } from '@/lib/format/duration';
import { formatShare } from '@/lib/format/share';
import { layoutConvergence } from '@/lib/views/pushes/layout-convergence';
import { layoutHops } from '@/lib/views/pushes/layout-hops';
import { pushTimeScale } from '@/lib/views/pushes/push-time-scale';
import type { Convergence } from '@/lib/views/pushes/schema';

const curveHeightPx = 200;

/** The hops of a push as lanes, and the share of clients that ACKed it over time. */
export function PushPictures({ push }: { readonly push: Convergence }) {
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const { clients, firstAt, spread } = push;
  const [pointedMs, setPointedMs] = useState<number | null>(null);
  const hops = layoutHops(clients, { firstAt, widthPx, leftPx: hopLabelsPx });
  const convergence = layoutConvergence(spread, { widthPx, heightPx: curveHeightPx });
  const hasPolled = JSON.stringify(spread.sure) !== JSON.stringify(spread.possible);
  return (
    <div ref={box} className="flex flex-col gap-4">
      {widthPx > 0 && (
        <>
          <figure>
            <Crosshair
              plot={hops.plot}
              heightPx={hops.heightPx}
              scale={pushTimeScale(hops.plot, hops.toMs)}
              pointed={pointedMs}
              onPoint={setPointedMs}
              format={formatDuration}
            >
              <HopsDrawing layout={hops} label="When the push was sent to probes and clients, and answered" />
            </Crosshair>
            <figcaption className="flex flex-wrap gap-x-5 gap-y-1 note">
              <StatusMark status="REQUESTED" word="sent" sizePx={10} />
              <StatusMark status="ACKED" sizePx={10} />
              <StatusMark status="NACKED" sizePx={10} />
              <StatusMark status="ACTIVE" word="reported by the control plane" sizePx={10} />
            </figcaption>
          </figure>
          <figure>
            <Crosshair
              plot={convergence.plot}
              heightPx={convergence.plot.y + convergence.plot.height}
              scale={pushTimeScale(convergence.plot, convergence.toMs)}
              pointed={pointedMs}
              onPoint={setPointedMs}
              format={(ms) => describeSpread(spread, ms)}
            >
              <ConvergenceDrawing
                layout={convergence}
                label={`Share of clients that ACKed over time: ${spread.accepted} of ${spread.total}`}
              />
            </Crosshair>
            <figcaption className="flex flex-wrap gap-x-5 gap-y-1 note">
              <span>
                <span className="text-acked">━━</span> ACKED
              </span>
              {hasPolled && (
                <span>
                  <span className="text-acked">╍╍</span> possibly ACKED (reported by polls only)
                </span>
              )}
              <span>○ percentiles of all counted clients</span>
            </figcaption>
          </figure>
        </>
      )}
    </div>
  );
}

function describeSpread({ sure, total }: Convergence['spread'], ms: number): string {
  const clients = sure.findLast(({ afterMs }) => afterMs <= ms)?.clients ?? 0;
  return `${formatDuration(ms)}: ${formatShare(total === 0 ? 0 : clients / total)} ACKed`;
}
