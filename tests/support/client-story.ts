import { randomBytes } from 'node:crypto';
import { afterEach } from 'vitest';
import type { World } from '@/lib/observation/fold';
import type { ResourceKey, ResourceState } from '@/lib/observation/observation';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import { ClientRows } from '@/server/api/client-rows';
import { ClientViews } from '@/server/api/client-views';
import { FailoverApi } from '@/server/api/failover-api';
import { GraphBuilder } from '@/server/api/graph-builder';
import { ClientAtCache } from '@/server/api/past/client-at-cache';
import { PermalinksApi } from '@/server/api/permalinks-api';
import { ResolvedApi } from '@/server/api/resolved-api';
import { nothingTold, type ToldClient } from '@/server/api/told-client';
import { encodeBody } from '@/server/codec/encode-body';
import { LiveState } from '@/server/live/live-state';
import type { Body } from '@/server/observe';
import { LoadRecorder } from '@/server/recorder/load/load-recorder';
import { openRecorder } from '@/server/recorder/recorder';
import { Judge } from '@/server/validate/judge';
import { ManualClock } from './recorder-manual-clock';
import { bodyOf, nodeOf, resourceOf } from './recorder-sightings';
import { tempDataDir } from './recorder-temp-dir';
import type { MeshResource } from './topology-mesh';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** One client that is observed for a while, over a real recorder and a real worker. */
export async function startClientStory(told: Partial<ToldClient> = {}) {
  const clock = new ManualClock();
  const retention = { maxAgeMs: 1e12, maxBytes: 1e12 };
  const recorder = await openRecorder({ dataDir: tempDataDir(), clock, retention });
  cleanUps.push(() => recorder.close());
  const freshnessOf: FreshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 });
  const world: World = new Map();
  const live = new LiveState(
    { clock, append: (sighting) => recorder.append(sighting), publish: () => undefined, freshnessOf },
    { world, newestSeq: 0 },
  );
  const graphs = new GraphBuilder({ recorder, clock });
  cleanUps.push(() => graphs.close());
  const rows = new ClientRows({ live, freshnessOf });
  const findTold = () => ({ ...nothingTold, ...told });
  const past = new ClientAtCache({ clock, recorder, findToday: (id) => live.world.get(id) });
  const views = new ClientViews({ clock, live, rows, past, freshnessOf, findTold });
  const api = new ResolvedApi({
    clock,
    live,
    recorder,
    graphs,
    views,
    findTold,
  });
  const judge = new Judge({ redactionKey: randomBytes(32), readBodies: async () => new Map() });
  cleanUps.push(() => judge.close());
  const loads = await LoadRecorder.open({ dataDir: tempDataDir(), clock });
  cleanUps.push(() => loads.close());
  const permalinks = new PermalinksApi({
    ...{ clock, recorder, graphs, judge, views, loads },
    findFailovers: async () => undefined,
  });
  const failover = new FailoverApi({ graphs, views, permalinks, recorder });
  const observe = (
    changed: readonly MeshResource[],
    removed: readonly ResourceKey[] = [],
    vantage: 'csds' | 'probe' = 'csds',
    sourceId = `${vantage}:a:1`,
  ): void => {
    const at = clock.now();
    const bodies: Body[] = [];
    const states = changed.map(({ typeUrl, name, body, clientStatus }): ResourceState => {
      const own = body && bodyOf(encodeBody(typeUrl, body), typeUrl);
      if (own !== undefined) bodies.push(own);
      const status = clientStatus ?? (own === undefined ? 'REQUESTED' : 'ACKED');
      return resourceOf(name, { typeUrl, clientStatus: status, hash: own?.hash ?? null, changedAt: at });
    });
    live.observe({
      observation: {
        kind: 'client-config-changed',
        at,
        vantage,
        sourceId,
        clientId: 'c',
        side: 'client',
        node: { ...nodeOf('shop'), userAgentName: 'gRPC Go' },
        scope: '',
        changed: states,
        removed,
      },
      bodies,
    });
  };
  const time = (): string => new Date(clock.now()).toISOString();
  /** As after a restart, when nobody tells of the client any longer. */
  const forget = () => world.clear();
  return { clock, api, failover, permalinks, recorder, observe, time, forget };
}
