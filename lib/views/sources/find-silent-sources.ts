import { sourceKindFacts } from '../../observation/source-kinds';
import type { EpochMs } from '../../xds/units';
import { countTargets } from './count-targets';
import type { Source } from './schema';

interface SilentSource {
  readonly id: string;
  readonly label: string;
  /** The time of its newest answer. Absent: it never answered. */
  readonly lastSuccessAt?: EpochMs | undefined;
  /** Numbers of the targets of a list. null: the source is not a list. */
  readonly members: { readonly down: number; readonly total: number } | null;
}

interface SilentSources {
  /** The source that answered last comes first. */
  readonly silent: readonly SilentSource[];
  /** Numbers of targets that do not answer, that have not answered yet, and of all. Paused targets do not count. */
  readonly down: number;
  readonly connecting: number;
  readonly total: number;
}

/** The sources whose clients may be missing or outdated in the fleet. */
export function findSilentSources(sources: readonly Source[]): SilentSources {
  const asked = sources.filter(
    ({ kind, state }) => sourceKindFacts(kind).reportsClients === true && state !== 'paused',
  );
  const silent = asked
    .filter(({ state, members }) => state === 'down' || (members?.down ?? 0) > 0)
    .map(({ id, label, lastSuccessAt, members }) => ({
      id,
      label,
      lastSuccessAt,
      members: members === undefined ? null : { down: members.down, total: members.total - members.paused },
    }))
    .sort((a, b) => (b.lastSuccessAt ?? 0) - (a.lastSuccessAt ?? 0));
  const { connecting, up, down } = countTargets(asked);
  return { silent, down, connecting, total: connecting + up + down };
}
