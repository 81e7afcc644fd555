import { ControlPlaneFold } from '@/lib/control-planes/control-plane-fold';
import { recordConditions } from '@/lib/issues/group-conditions';
import { ServerNames } from '@/lib/issues/server-names';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { FoundErrors } from '@/lib/views/issues/build-load-issue';
import type { Condition } from '@/lib/views/issues/read-conditions';
import type { Source } from '@/lib/views/sources/schema';
import { LDS } from '@/lib/xds/resource-type';
import { IssuesApi, type IssuesApiParts } from '@/server/answers/issues/issues-api';
import { OwnIssues } from '@/server/answers/issues/own-issues';
import { TapOutages } from '@/server/answers/issues/tap-outages';
import { IssueStore, issueIdOf } from '@/server/live/issues/issue-store';
import { Mutes, mutesEntry } from '@/server/live/issues/mutes';
import { RecorderError } from '@/server/store/recorder/recorder-error';
import { sampleResource } from './builders/observation-samples';
import { ManualClock } from './recorder-manual-clock';
import { openKept } from './test-state';

/** The time of the API. */
export const now = 100_000;
/** Why the recorder has stopped. */
export const gone = '/data was deleted or moved while xdscope uses it';

export const row = sampleResource({
  ...{ typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST', hash: null },
});
export const sourceDown = (sourceId: string, at = 1): Observation => ({
  ...{ kind: 'source-down', at, vantage: sourceId.startsWith('tap') ? 'tap' : 'csds', sourceId },
  problem: { code: 'CONNECTION_REFUSED', message: 'connection refused', hint: '' },
});

interface Parts {
  readonly assess?: IssuesApiParts['assessor']['assess'];
  readonly observed?: readonly Observation[];
  readonly loadErrors?: () => readonly FoundErrors[];
  /** What the checks of the config found. */
  readonly checked?: readonly Condition[];
  readonly isOfRun?: (clientId: string) => boolean;
}

function findSource(id: string): Source {
  const [kind, label] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
  return {
    id,
    label,
    kind,
    ...(kind === 'tap' && { tap: { ...tapOf, listen: label, address: label } }),
  } as Source;
}
const tapOf = { upstream: 'xds:18000' };

/** The API over these observations; `observe` adds one. */
export async function makeApi({
  assess = async () => undefined,
  observed = [],
  loadErrors,
  checked = [],
  isOfRun = () => false,
}: Parts) {
  const clock = new ManualClock();
  const issues = new IssueStore({ clock, publish: () => undefined });
  const world: World = new Map();
  let seq = 0;
  const observe = (observation: Observation): void => {
    seq += 1;
    foldObservation(world, { ...observation, seq });
    issues.fold({ ...observation, seq });
  };
  for (const each of observed) observe(each);
  const parts = {
    live: {
      ...{ world, clientCountOf: () => 0 },
      clientsOfSource: (id: string) =>
        [...world.values()].filter(({ reports }) => reports.has(id)).map(({ clientId }) => clientId),
    },
    registry: { find: findSource },
    recorder: {
      stats: () => ({ state: 'stopped', reason: gone, oldestAt: 0 }),
    } as unknown as IssuesApiParts['recorder'],
    mutes: new Mutes(await openKept(mutesEntry)),
    issues,
  };
  const serverNames = new ServerNames(issueIdOf);
  const taps = new TapOutages({ ...parts, serverNames });
  const own = new OwnIssues({
    ...{ ...parts, taps, serverNames, runs: { hasSource: (id) => id === 'tap:of-a-run' } },
    variants: { list: async () => ({ pairs: [], items: [], total: 0, at: 0 }) },
    controlPlanes: { read: async () => new ControlPlaneFold(() => []) },
    requestErrors: { find: () => [] },
    loadErrors: {
      find: async () => loadErrors?.() ?? Promise.reject(new RecorderError('CLOSED', gone)),
    },
  });
  const api = new IssuesApi({
    ...{ ...parts, taps, serverNames, isOfRun },
    clock: { now: () => now },
    own,
    checks: {
      findAt: async () => [],
      records: () => recordConditions(checked, issueIdOf),
      isJudged: () => true,
      progress: { checked: 1, total: 2, asOf: now, partly: { total: 0, items: [] } },
    },
    certificates: { findAt: async () => [], records: async () => [] },
    assessor: { assess },
    measured: { find: () => Promise.reject(new RecorderError('CLOSED', gone)) },
    findTime: async () => 0,
  });
  return { api, observe };
}

/** As in "muted: Listener shop does not exist", without what the recorder states. */
export async function listIssues(api: IssuesApi): Promise<string[]> {
  const { items } = await api.list({ state: 'current', limit: 10 });
  return items.flatMap(({ kind, state, title }) => (kind === 'recorder' ? [] : [`${state}: ${title}`]));
}
