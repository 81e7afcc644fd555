import type { DeclaredSource } from '@/lib/observation/declared-source';
import type { World } from '@/lib/observation/fold';
import type { SourceDirectory } from '@/lib/observation/source-directory';
import type { EpochMs } from '@/lib/xds/units';
import type { RemovedProbe } from '../live/live-state';
import { type VariantProbe, variantOf } from './variant-pairs';

export interface HeardSources {
  readonly world: World;
  readonly sources: Pick<SourceDirectory, 'find'>;
  /** Ids of all sources that have ever reported a client. */
  sourceIds(): Iterable<string>;
  clientsOfSource(sourceId: string): Iterable<string>;
  /** By source: probes whose clients are no longer in `world`. */
  readonly removedProbes: {
    get(sourceId: string): RemovedProbe | undefined;
    keys(): Iterable<string>;
  };
}

/**
 * Removed probes that were active before and after the moment `at`, or ended after it; a probe that had ended by then
 * has no information on that moment. They are known as long as the log has their reports.
 */
export function findRemovedProbes(
  heard: HeardSources,
  isSource: (sourceId: string) => boolean,
  at: EpochMs,
): VariantProbe[] {
  const found: VariantProbe[] = [];
  for (const id of new Set([...heard.sourceIds(), ...heard.removedProbes.keys()])) {
    const probe = isSource(id) ? undefined : toVariantProbe(id, heard.sources.find(id));
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

/** Undefined if the source is no probe, or uses no server. */
function toVariantProbe(id: string, declared: DeclaredSource | undefined): VariantProbe | undefined {
  if (declared?.transport === undefined) return undefined;
  const variant = variantOf(declared.transport);
  return variant && { id, target: declared.target, variant };
}
