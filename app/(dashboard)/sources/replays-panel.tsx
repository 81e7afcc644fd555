'use client';

import { useState } from 'react';
import { Button } from '../../_components/button';
import { ErrorState } from '../../_components/error-state';
import { Panel } from '../../_components/panel';
import { Skeleton } from '../../_components/skeleton';
import { useReplays } from '../../_hooks/queries';
import { ReplayItem } from './replay-item';
import { StartReplayDialog } from './start-replay-dialog';

/** Pasts that are served again: each a management server that a real client can be put before. */
export function ReplaysPanel() {
  const { data: replays, error, refetch } = useReplays();
  const [isStarting, setStarting] = useState(false);
  const start = (
    <Button icon="play" onPress={() => setStarting(true)}>
      Replay
    </Button>
  );
  return (
    <Panel id="replays" title="Replays" vantage="recorded responses, served again" actions={start}>
      {replays === undefined && error !== null && (
        <ErrorState title="The replays could not be read" error={error} onRetry={() => void refetch()} />
      )}
      {replays === undefined && error === null && <Skeleton waitsFor="the replays" rows={1} />}
      {replays?.length === 0 && (
        <p className="text-muted">
          None. A replay serves what a client was sent, step by step or at its own pace, so that a real client
          can be put before yesterday’s config.
        </p>
      )}
      {replays !== undefined && replays.length > 0 && (
        <ul className="flex flex-col gap-3">
          {replays.map((replay) => (
            <ReplayItem key={replay.id} replay={replay} />
          ))}
        </ul>
      )}
      {isStarting && <StartReplayDialog onClose={() => setStarting(false)} />}
    </Panel>
  );
}
