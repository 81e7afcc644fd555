import type { Source } from '../../api/schema';
import { countTargets } from './count-targets';
import { sourceKindFacts } from './source-kind-facts';

/** A source that reported clients, or should, and does not answer. */
export interface SilentSource {
  readonly id: string;
  readonly label: string;
  /** ISO time of its last word; null: it never had one. */
  readonly lastSuccessAt: string | null;
  /** Of a list: so many of its targets; null: it is one target itself. */
  readonly members: { readonly down: number; readonly total: number } | null;
}

export interface SilentSources {
  /** Who was heard last comes first: the newest trouble. */
  readonly silent: readonly SilentSource[];
  /** Targets that do not answer, that have not answered yet, and all that are asked; paused ones are not. */
  readonly down: number;
  readonly connecting: number;
  readonly total: number;
}

/** Of whom the fleet may lack something, or show what is old. */
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
    .sort((a, b) => (b.lastSuccessAt ?? '').localeCompare(a.lastSuccessAt ?? ''));
  const { connecting, up, down } = countTargets(asked);
  return { silent, down, connecting, total: connecting + up + down };
}
