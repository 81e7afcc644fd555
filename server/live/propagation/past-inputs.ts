import type { ClientState } from '@/lib/observation/client-state';
import type { World } from '@/lib/observation/fold';
import type { DeclaredSource } from '@/lib/observation/observation';
import type { SourceDirectory } from '@/lib/observation/source-directory';
import type { Moment } from '@/lib/views/fields/moment';
import type { EpochMs } from '@/lib/xds/units';
import type { ClientAtCache } from '../../store/past/client-at-cache';
import { freshnessThen } from '../../store/past/freshness-then';
import { parseMoment, type RequestedMoment } from '../../store/past/parse-moment';
import type { LiveState, RemovedProbe } from '../live-state';
import type { PropagationInputs } from './propagation-places';
import { type ProbeSource, toVariantProbes, type VariantProbe, variantOf } from './variant-pairs';

interface PastSceneParts {
  readonly live: Pick<
    LiveState,
    'world' | 'sources' | 'sourceIds' | 'clientsOfSource' | 'everClientsOf' | 'removedProbes'
  >;
  readonly past: Pick<ClientAtCache, 'find' | 'findState' | 'findTime'>;
  readonly listProbes: () => readonly ProbeSource[];
  readonly wholeIdOf: (client: ClientState) => Promise<string | undefined>;
}

interface ProbesThenParts {
  readonly live: Pick<LiveState, 'everClientsOf'>;
  readonly past: Pick<ClientAtCache, 'findState'>;
  readonly listProbes: () => readonly ProbeSource[];
}

interface PastScene {
  readonly inputs: PropagationInputs;
  readonly client: ClientState;
  /** The current probes, and removed ones that were active at the time. */
  readonly probes: readonly VariantProbe[];
  /** Its `incomplete` covers all reporters. */
  readonly moment: Moment;
}

/**
 * Returns a client at a time with all possible reporters: the probes of that time and the client that it is a scope of.
 * undefined if there is no such client. Throws 400 and 404 like ClientAtCache.find().
 */
export async function readPastInputs(
  parts: PastSceneParts,
  id: string,
  at: string,
): Promise<PastScene | undefined> {
  const requested = parseMoment(at, 'at');
  const then = await parts.past.findState(id, requested, 'at');
  if (then === undefined) {
    // This throws the reason: the log begins later, or there is no such client.
    await parts.past.find(id, requested, 'at');
    return undefined;
  }
  const wholeId = await parts.wholeIdOf(then.client);
  const now = parts.listProbes();
  const current = new Set(now.map(({ id: each }) => each));
  const moment = await parts.past.findTime(requested, 'at');
  const former = findRemovedProbes(parts.live, (each) => current.has(each), moment);
  const probes = [...toVariantProbes(now), ...former];
  const others = await readProbes(parts, requested, { probes, more: wholeId === undefined ? [] : [wholeId] });
  const world = new Map([[id, then.client], ...others.world]);
  const lacks = new Set([then.moment.incomplete, ...others.lacks].filter((text) => text !== ''));
  const seq = Math.max(...[...world.values()].map((each) => each.seq));
  return {
    inputs: inputsOf(parts, world),
    client: then.client,
    probes,
    moment: { ...then.moment, seq, incomplete: [...lacks].join('; ') },
  };
}

export async function readProbesThen(parts: ProbesThenParts, requested: RequestedMoment) {
  const { world } = await readProbes(parts, requested, { probes: parts.listProbes(), more: [] });
  return inputsOf(parts, world);
}

async function readProbes(
  { live, past }: Pick<ProbesThenParts, 'live' | 'past'>,
  requested: RequestedMoment,
  { probes, more }: { readonly probes: readonly { readonly id: string }[]; readonly more: readonly string[] },
): Promise<{ world: Map<string, ClientState>; lacks: string[] }> {
  const world = new Map<string, ClientState>();
  const lacks: string[] = [];
  const ids = new Set([...probes.flatMap(({ id }) => [...live.everClientsOf(id)]), ...more]);
  for (const id of ids) {
    const found = await past.findState(id, requested, 'at');
    if (found === undefined) continue;
    world.set(id, found.client);
    lacks.push(found.moment.incomplete);
  }
  return { world, lacks };
}

function inputsOf(
  { live }: Pick<ProbesThenParts, 'live'>,
  world: Map<string, ClientState>,
): PropagationInputs {
  return { world, clientsOfSource: (id) => live.everClientsOf(id), freshnessOf: freshnessThen };
}

export interface ReportingSources {
  readonly world: World;
  readonly sources: Pick<SourceDirectory, 'find'>;
  /** Returns the ids of all sources that have ever reported a client. */
  sourceIds(): Iterable<string>;
  clientsOfSource(sourceId: string): Iterable<string>;
  /** The probes of each source whose clients are no longer in `world`. */
  readonly removedProbes: {
    get(sourceId: string): RemovedProbe | undefined;
    keys(): Iterable<string>;
  };
}

/**
 * Returns removed probes that were active before and after the time `at`, or ended after it; a probe that had ended by
 * then has no information on that time. They are known as long as the log has their reports.
 */
export function findRemovedProbes(
  reporting: ReportingSources,
  isSource: (sourceId: string) => boolean,
  at: EpochMs,
): VariantProbe[] {
  const found: VariantProbe[] = [];
  for (const id of new Set([...reporting.sourceIds(), ...reporting.removedProbes.keys()])) {
    const probe = isSource(id) ? undefined : toVariantProbe(id, reporting.sources.find(id));
    if (probe !== undefined && wasKnown(reporting, id, at)) found.push(probe);
  }
  return found;
}

function wasKnown(reporting: ReportingSources, sourceId: string, at: EpochMs): boolean {
  const former = reporting.removedProbes.get(sourceId);
  if (former !== undefined && wasActive(former, at)) return true;
  for (const clientId of reporting.clientsOfSource(sourceId)) {
    const report = reporting.world.get(clientId)?.reports.get(sourceId);
    if (report?.vantage === 'probe' && wasActive(report, at)) return true;
  }
  return false;
}

function wasActive(
  { firstSeenAt, lastChangedAt, goneAt }: Omit<RemovedProbe, 'clientId'>,
  at: EpochMs,
): boolean {
  return firstSeenAt <= at && at <= Math.max(lastChangedAt, goneAt ?? 0);
}

/** Returns undefined if the source is not a probe, or uses no server. */
function toVariantProbe(id: string, declared: DeclaredSource | undefined): VariantProbe | undefined {
  if (declared?.transport === undefined) return undefined;
  const variant = variantOf(declared.transport);
  return variant && { id, target: declared.target, variant };
}
