import type { EffectState } from '@/lib/facts/effect';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import { FleetExplainer, type FleetExplainQuery } from '@/server/answers/explain-fleet/fleet-explainer';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { ClientRows } from '@/server/answers/subjects/client-rows';
import { ClientSubjects } from '@/server/answers/subjects/client-subjects';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { encodeBody } from '@/server/codec/encode-body';
import { FleetIndex } from '@/server/live/fleet/fleet-index';
import type { Body, Clock } from '@/server/observe';
import { ClientAtCache } from '@/server/store/past/client-at-cache';
import { bodyOf, nodeOf, resourceOf } from './builders/recorder-emissions';
import type { MeshResource } from './builders/topology-mesh';
import { openLiveState } from './open-live-state';
import { openWholeRecorder } from './open-recorder';

interface ObservedClient {
  readonly clientId: string;
  readonly resources: readonly MeshResource[];
  readonly errorState?: EffectState['errorState'];
  readonly userAgent?: { readonly userAgentName: string; readonly userAgentVersion: string };
  readonly side?: 'client' | 'control-plane';
}

const newestGo = { userAgentName: 'gRPC Go', userAgentVersion: '1.85.0' };

/** Many observed clients with a real recorder and a real worker, for which one request is explained. */
export async function openExplainedFleet({
  dataDir,
  clock,
}: {
  readonly dataDir: string;
  readonly clock: Clock;
}) {
  const recorder = await openWholeRecorder({ dataDir, clock });
  const freshnessOf: FreshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 });
  const live = openLiveState({ clock, append: (emission) => recorder.append(emission), freshnessOf });
  const graphs = new GraphBuilder({ recorder });
  const rows = new ClientRows({ live, freshnessOf });
  const past = new ClientAtCache({ clock, recorder, findToday: (id) => live.world.get(id) });
  const findSettings = () => noSettings;
  const subjects = new ClientSubjects({ clock, live, rows, past, freshnessOf, findSettings });
  const measuredRequests = {
    find: async () => new Map(),
    findBreakers: () => new Map(),
    findStandstill: () => undefined,
  };
  const fleet = new FleetIndex(live);
  /** The number of explanations that were computed. */
  let computed = 0;
  const ask: GraphBuilder['ask'] = (...question) => {
    computed += 1;
    return graphs.ask(...question);
  };
  const explainer = new FleetExplainer({
    ...{ clock, fleet, subjects, recorder, measuredRequests },
    graphs: { ask },
  });
  return {
    ...{ recorder, fleet, graphs },
    explain: (query: Partial<FleetExplainQuery> & Pick<FleetExplainQuery, 'request'>) =>
      explainer.find({ q: '', offset: 0, limit: 50, ...query }),
    computed: () => computed,
    observe({
      clientId,
      resources,
      errorState = null,
      userAgent = newestGo,
      side = 'client',
    }: ObservedClient): void {
      const at = clock.now();
      const bodies: Body[] = [];
      const changed = resources.map(({ typeUrl, name, body, clientStatus = 'ACKED' }) => {
        const own = body && bodyOf(encodeBody(typeUrl, body), typeUrl);
        if (own !== undefined) bodies.push(own);
        const status = { clientStatus, errorState: clientStatus === 'NACKED' ? errorState : null };
        return resourceOf(name, { typeUrl, ...(status as object), hash: own?.hash ?? null, changedAt: at });
      });
      live.observe({
        observation: {
          ...{ kind: 'client-config-changed', at, vantage: 'csds', sourceId: `csds:${clientId}`, clientId },
          ...{ side, node: { ...nodeOf(clientId), ...userAgent }, scope: '', changed, removed: [] },
        },
        bodies,
      });
    },
    async close(): Promise<void> {
      await graphs.close();
      await recorder.close();
    },
  };
}
