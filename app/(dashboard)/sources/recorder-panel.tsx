'use client';

import type { ReactNode } from 'react';
import type { Health } from '@/lib/api/schema';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount, formatCounted } from '@/lib/format/count';
import { NotTold } from '../../_components/bytes-text';
import { ErrorState } from '../../_components/error-state';
import { Panel } from '../../_components/panel';
import { Skeleton } from '../../_components/skeleton';
import { StatusMark } from '../../_components/status-mark';
import { TimeAgo } from '../../_components/time-ago';
import { useHealth } from '../../_hooks/queries';
import { PinList } from './pin-list';

/** What is written down, how far back it reaches, how much room it takes. */
export function RecorderPanel() {
  const { data: health, dataUpdatedAt, error, refetch } = useHealth();
  const readAt = dataUpdatedAt === 0 ? null : new Date(dataUpdatedAt).toISOString();
  return (
    <Panel id="recorder" title="Recorder" vantage="xdscope’s own log" age={readAt}>
      {health === undefined && error !== null ? (
        <ErrorState title="The recorder could not be asked" error={error} onRetry={() => void refetch()} />
      ) : health === undefined ? (
        <Skeleton waitsFor="the recorder" rows={2} />
      ) : (
        <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
          <Fact label="State">
            {health.recorder.state === 'recording' ? (
              <StatusMark status="HEALTHY" word="recording" />
            ) : (
              <StatusMark status="UNHEALTHY" word="stopped" />
            )}
          </Fact>
          <Fact label="Observations">{formatCount(health.recorder.observations)}</Fact>
          <Fact label="Bodies, each once">{formatCount(health.recorder.bodies)}</Fact>
          <Fact label="On disk">{formatBytes(health.recorder.sizeBytes)}</Fact>
          <Fact label="Reaches back to">
            <TimeAgo iso={health.recorder.oldestAt} never="nothing yet" />
          </Fact>
          <Fact label="Grows, last hour">
            <GrowthText growth={health.recorder.growth.hour} />
          </Fact>
          <Fact label="Grows, last day">
            <GrowthText growth={health.recorder.growth.day} />
          </Fact>
          <Fact label="Server started">
            <TimeAgo iso={health.startedAt} />
          </Fact>
        </dl>
      )}
      {health !== undefined && health.recorder.missed > 0 && (
        <p className="mt-3 text-nacked">
          {formatCounted(health.recorder.missed, 'observation')} did not reach the log since the server
          started.
        </p>
      )}
      {health !== undefined && health.recorder.reason !== '' && (
        <p className="mt-3 break-words text-nacked">{health.recorder.reason}</p>
      )}
      {health !== undefined && health.recorder.retentionProblem !== '' && (
        <p className="mt-3 break-words text-nacked">
          Old observations could not be tidied up: {health.recorder.retentionProblem}
        </p>
      )}
      <PinList />
    </Panel>
  );
}

function GrowthText({ growth }: { readonly growth: Health['recorder']['growth']['hour'] }) {
  if (growth === null) return <NotTold why="nothing was recorded in this time" />;
  const { observationsPerMinute, bytesPerMinute } = growth;
  const count =
    observationsPerMinute < 10
      ? observationsPerMinute.toFixed(1)
      : formatCount(Math.round(observationsPerMinute));
  return (
    <span className="tabular-nums">
      {count} a minute, {formatBytes(Math.round(bytesPerMinute))}
    </span>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8571rem] text-muted">{label}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}
