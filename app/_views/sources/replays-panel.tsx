'use client';

import { useState } from 'react';
import { useItems } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { ReplayItem } from './replay-item';
import { StartReplayDialog } from './start-replay-dialog';

/** Replays: management servers that serve a recording. */
export function ReplaysPanel() {
  const { data: replays, error, refetch } = useItems('replays', {});
  const [isStarting, setStarting] = useState(false);
  const start = (
    <Button icon="play" onPress={() => setStarting(true)}>
      Replay
    </Button>
  );
  return (
    <Panel id="replays" title="Replays" vantage="serve a recording as a live xDS server" actions={start}>
      <QueryContent query={{ data: replays, error, refetch }} what="the replays" rows={1}>
        {(replays) => (
          <>
            {replays.length === 0 && (
              <p className="text-muted">
                None. A replay serves the recorded responses of a client to real clients, step by step or at
                recorded speed.
              </p>
            )}
            {replays.length > 0 && (
              <ul className="flex flex-col gap-3">
                {replays.map((replay) => (
                  <ReplayItem key={replay.id} replay={replay} />
                ))}
              </ul>
            )}
          </>
        )}
      </QueryContent>
      {isStarting && <StartReplayDialog onClose={() => setStarting(false)} />}
    </Panel>
  );
}
