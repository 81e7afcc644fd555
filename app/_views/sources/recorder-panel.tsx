'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { useItems, useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { NotReported } from '@/app/_components/bytes-text';
import { ErrorLine } from '@/app/_components/error-line';
import { ErrorState } from '@/app/_components/error-state';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import type { Health } from '@/lib/views/health/schema';
import type { Pin } from '@/lib/views/recording/pin-schema';
import {
  describeRecorder,
  forecastRetention,
  formatLimits,
  formatPermalinks,
  type RecorderRemark,
} from '@/lib/views/sources/describe-recorder';

export function RecorderPanel() {
  const query = useQuestion('health', {});
  const { data: sources } = useItems('sources', {});
  const readAt = query.dataUpdatedAt === 0 ? null : query.dataUpdatedAt;
  const dropped = (sources ?? []).reduce((sum, { tap }) => sum + (tap?.droppedMessages ?? 0), 0);
  return (
    <Panel id="recorder" title="Recorder" vantage="the log" age={readAt}>
      <QueryContent query={query} what="the state of the recorder" rows={2}>
        {(health) => (
          <>
            <Facts health={health} now={readAt ?? health.startedAt} />
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

function Facts({
  health: { recorder, sharedStore, startedAt },
  now,
}: {
  readonly health: Health;
  readonly now: number;
}) {
  const limits = formatLimits(recorder.limits);
  const forecast = forecastRetention(recorder, now);
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
      <Fact label="Distinct contents">{formatCount(recorder.bodies)}</Fact>
      <Fact label="On disk">{formatBytes(recorder.sizeBytes)}</Fact>
      <Fact label="Retention">{limits === '' ? 'everything' : limits}</Fact>
      <Fact label="Deletes the oldest">
        {forecast === undefined ? (
          <NotReported why="no limit will be reached at the growth of the last day, or less than an hour is recorded" />
        ) : (
          `${forecast.at <= now ? 'now' : `in ${formatDuration(forecast.at - now)}`}, by ${forecast.limit}`
        )}
      </Fact>
      <Fact label="Permalinks">{formatPermalinks(recorder.permalinks)}</Fact>
      <Fact label="Oldest">
        <TimeAgo at={recorder.oldestAt} never="no events yet" />
      </Fact>
      {sharedStore !== undefined && (
        <Fact label={`Shared store ${sharedStore.target}`}>
          {sharedStore.waiting === undefined ? (
            <TimeAgo at={sharedStore.newestAt} never="nothing copied yet" />
          ) : (
            `${formatCounted(sharedStore.waiting, 'observation')} not copied yet`
          )}
        </Fact>
      )}
      <Fact label="Growth, last hour">
        <GrowthText growth={recorder.growth.hour} />
      </Fact>
      <Fact label="Growth, last day">
        <GrowthText growth={recorder.growth.day} />
      </Fact>
      <Fact label="Server started">
        <TimeAgo at={startedAt} />
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
          <TimeAgo at={at} />.
        </>
      )}
      {kind !== undefined && (
        <>
          {' '}
          <Link href={`/history?kind=${kind}`} className="link">
            When
          </Link>
        </>
      )}
    </p>
  );
}

function GrowthText({ growth }: { readonly growth: Health['recorder']['growth']['hour'] }) {
  if (growth === undefined) return <NotReported why="nothing recorded in this time" />;
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
      <dt className="note">{label}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}

function PinList() {
  const { data: pins, error, refetch } = useItems('pins', {});
  const remove = useCommand('DELETE pins/{id}');
  if (pins === undefined && error !== null) {
    return <ErrorState title="The pins could not be read" error={error} onRetry={() => void refetch()} />;
  }
  if (pins === undefined || pins.length === 0) return null;
  return (
    <section aria-label="Pinned ranges" className="mt-4">
      <h3 className="mb-2 note">Pinned: exempt from retention</h3>
      <ul className="flex flex-col gap-2">
        {pins.map((pin) => (
          <PinItem
            key={pin.id}
            pin={pin}
            isRemoving={remove.isPending && remove.variables?.id === pin.id}
            onRemove={() => remove.mutate({ id: pin.id })}
          />
        ))}
      </ul>
      <ErrorLine error={remove.error} className="mt-2" />
    </section>
  );
}

interface PinItemProps {
  readonly pin: Pin;
  readonly isRemoving: boolean;
  readonly onRemove: () => void;
}

function PinItem({ pin, isRemoving, onRemove }: PinItemProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 rounded-md border border-line px-3 py-2">
      <span className="min-w-0 font-medium break-words">{pin.label}</span>
      <span className="text-muted">
        <TimeAgo at={pin.from} /> to <TimeAgo at={pin.to} />,{' '}
        {pin.clientId === undefined ? 'every client' : `client ${pin.clientId}`}
      </span>
      <Button
        tone="quiet"
        icon="trash"
        className="ml-auto"
        label={`Remove the pin ${pin.label}`}
        isPending={isRemoving}
        onPress={onRemove}
      >
        Remove
      </Button>
    </li>
  );
}
