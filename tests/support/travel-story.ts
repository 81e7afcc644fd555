import { randomBytes } from 'node:crypto';
import type { ResourceKey, ResourceState } from '@/lib/observation/observation';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { LiveState } from '@/server/live/live-state';
import { ClientAtCache } from '@/server/past/client-at-cache';
import { openRecorder } from '@/server/recorder/open-recorder';
import { ClientRows } from '@/server/subjects/client-rows';
import { ClientSubjects } from '@/server/subjects/client-subjects';
import { noSettings } from '@/server/subjects/known-settings';
import { Validator } from '@/server/validate/document-validator';
import { nodeOf } from './recorder-emissions';
import { ManualClock } from './recorder-manual-clock';

/** A client "c" that is observed for a while, over a real recorder; `dataDir` may be one of before a restart. */
export async function startTravelStory(dataDir: string, clock = new ManualClock()) {
  const retention = { maxAgeMs: 1e12, maxBytes: 1e12 };
  const recorder = await openRecorder({ dataDir, clock, retention });
  const freshnessOf: FreshnessOf = ({ goneAt, goneReason }) => ({
    freshness: goneAt === null ? 'live' : 'gone',
    reason: goneReason,
    lastSeenAt: null,
  });
  const live = new LiveState(
    { clock, append: (emission) => recorder.append(emission), publish: () => undefined, freshnessOf },
    { world: new Map(), newestSeq: 0 },
  );
  const graphs = new GraphBuilder({ recorder });
  const validate = new Validator({ redactionKey: randomBytes(32), recorder });
  const past = new ClientAtCache({ clock, recorder, findToday: (id) => live.world.get(id) });
  const rows = new ClientRows({ live, freshnessOf });
  const subjects = new ClientSubjects({
    clock,
    live,
    rows,
    past,
    freshnessOf,
    findSettings: () => noSettings,
  });
  /** Returns the sequence number of the observation. */
  const observe = (
    changed: readonly ResourceState[],
    removed: readonly ResourceKey[] = [],
    vantage: 'csds' | 'probe' = 'csds',
    clientId = 'c',
  ): number => {
    const at = clock.now();
    const observation = {
      kind: 'client-config-changed',
      at,
      vantage,
      sourceId: `${vantage}:a:1`,
      clientId,
      side: vantage === 'csds' ? 'client' : 'control-plane',
      node: nodeOf(clientId),
      scope: '',
      changed: changed.map((state) => ({ ...state, changedAt: at })),
      removed,
    } as const;
    live.observe({ observation, bodies: [] });
    return live.seq;
  };
  return {
    clock,
    recorder,
    live,
    graphs,
    validate,
    past,
    subjects,
    observe,
    time: () => new Date(clock.now()).toISOString(),
    close: async () => {
      await graphs.close();
      await validate.close();
      await recorder.close();
    },
  };
}
