'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { QueryContent } from '@/app/_components/query-content';
import type { Health } from '@/lib/api/schema';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';
import {
  describeRecorder,
  formatLimits,
  type RecorderRemark,
} from '@/lib/view-model/sources/describe-recorder';
import { NotReported } from '../../_components/bytes-text';
import { Panel } from '../../_components/panel';
import { StatusMark } from '../../_components/status-mark';
import { TimeAgo } from '../../_components/time-ago';
import { useHealth, useSources } from '../../_hooks/queries';
import { PinList } from './pin-list';

/** What is written down, how far back it reaches, how much room it takes, and what is missing in it. */
export function RecorderPanel() {
  const query = useHealth();
  const { data: sources } = useSources();
  const readAt = query.dataUpdatedAt === 0 ? null : new Date(query.dataUpdatedAt).toISOString();
  const dropped = (sources ?? []).reduce((sum, { tap }) => sum + (tap?.droppedMessages ?? 0), 0);
  return (
    <Panel id="recorder" title="Recorder" vantage="xdscope’s own log" age={readAt}>
      <QueryContent query={query} what="the state of the recorder" rows={2}>
        {(health) => (
          <>
            <Facts health={health} />
            {describeRecorder(health, dropped).map((remark) => (
              <Remark key={remark.text} remark={remark} />
            ))}
          </>
        )}
      </QueryContent>
      <PinList />
    </Panel>
  );
}

function Facts({ health: { recorder, startedAt } }: { readonly health: Health }) {
  const limits = formatLimits(recorder.limits);
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
      <Fact label="State">
        {recorder.state === 'recording' ? (
          <StatusMark status="HEALTHY" word="recording" />
        ) : (
          <StatusMark status="UNHEALTHY" word="stopped" />
        )}
      </Fact>
      <Fact label="Observations">{formatCount(recorder.observations)}</Fact>
      <Fact label="Bodies, each once">{formatCount(recorder.bodies)}</Fact>
      <Fact label="On disk">{formatBytes(recorder.sizeBytes)}</Fact>
      <Fact label="Keeps at most">{limits === '' ? 'everything' : limits}</Fact>
      <Fact label="Reaches back to">
        <TimeAgo iso={recorder.oldestAt} never="nothing yet" />
      </Fact>
      <Fact label="Grows, last hour">
        <GrowthText growth={recorder.growth.hour} />
      </Fact>
      <Fact label="Grows, last day">
        <GrowthText growth={recorder.growth.day} />
      </Fact>
      <Fact label="Server started">
        <TimeAgo iso={startedAt} />
      </Fact>
    </dl>
  );
}

function Remark({ remark: { text, tone, at, kind } }: { readonly remark: RecorderRemark }) {
  return (
    <p className={`mt-3 break-words ${tone === 'trouble' ? 'text-nacked' : 'text-muted'}`}>
      {text}
      {at !== undefined && (
        <>
          {' '}
          <TimeAgo iso={at} />.
        </>
      )}
      {kind !== undefined && (
        <>
          {' '}
          <Link href={`/history?kind=${kind}`} className="text-accent underline underline-offset-2">
            When
          </Link>
        </>
      )}
    </p>
  );
}

function GrowthText({ growth }: { readonly growth: Health['recorder']['growth']['hour'] }) {
  if (growth === null) return <NotReported why="nothing was recorded in this time" />;
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
