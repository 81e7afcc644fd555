import type { World } from '@/lib/observation/fold';
import { probeTransports } from '@/lib/xds/probe-choices';
import type { EpochMs } from '@/lib/xds/units';
import type { RemovedProbe } from '../live/live-state';
import { type VariantProbe, variantOf } from './variant-pairs';

export interface HeardSources {
  readonly world: World;
  /** Ids of those that ever reported a client. */
  sourceIds(): Iterable<string>;
  clientsOfSource(sourceId: string): Iterable<string>;
  /** By source: probes whose clients are no longer in `world`. */
  readonly removedProbes: {
    get(sourceId: string): RemovedProbe | undefined;
    keys(): Iterable<string>;
  };
}

/**
 * Probes of ours that are no sources any more, and had been heard both before and after the moment `at` (or ended after
 * it): one that had ended by then says nothing of what there was. Known for as long as the log keeps what they reported.
 */
export function findRemovedProbes(
  heard: HeardSources,
  isSource: (sourceId: string) => boolean,
  at: EpochMs,
): VariantProbe[] {
  const found: VariantProbe[] = [];
  for (const id of new Set([...heard.sourceIds(), ...heard.removedProbes.keys()])) {
    const probe = isSource(id) ? undefined : parseProbeId(id);
    if (probe !== undefined && wasThere(heard, id, at)) found.push(probe);
  }
  return found;
}

function wasThere(heard: HeardSources, sourceId: string, at: EpochMs): boolean {
  const former = heard.removedProbes.get(sourceId);
  if (former !== undefined && wasHeard(former, at)) return true;
  for (const clientId of heard.clientsOfSource(sourceId)) {
    const report = heard.world.get(clientId)?.reports.get(sourceId);
    if (report?.vantage === 'probe' && wasHeard(report, at)) return true;
  }
  return false;
}

function wasHeard(
  { firstSeenAt, lastChangedAt, goneAt }: Omit<RemovedProbe, 'clientId'>,
  at: EpochMs,
): boolean {
  return firstSeenAt <= at && at <= Math.max(lastChangedAt, goneAt ?? 0);
}

/** "ads:TARGET?transport=delta-ads&...": see sourceIdOf() and findDistinct(). undefined: no probe, or no server. */
function parseProbeId(id: string): VariantProbe | undefined {
  const [, target, parameters = ''] = /^ads:(.*?)(?:\?((?:transport|api|mode)=.*))?$/s.exec(id) ?? [];
  if (target === undefined) return undefined;
  const said = new URLSearchParams(parameters).get('transport') ?? 'ads';
  const transport = probeTransports.find((each) => each === said);
  const variant = transport && variantOf(transport);
  return variant && { id, target, variant };
}
