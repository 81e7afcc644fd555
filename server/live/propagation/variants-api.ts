import { by } from '@/lib/collections/compare';
import { resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import { streamLagMs } from '@/lib/sync/find-first-mismatch';
import type { Divergences, DivergencesQuery, VariantPair as PairRow } from '@/lib/views/propagation/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Differ } from '../../compute/diff/differ';
import type { ClientAtCache } from '../../store/past/client-at-cache';
import { parseMoment } from '../../store/past/parse-moment';
import { takeSteps } from '../../workers/threads/take-steps';
import type { LiveState } from '../live-state';
import { compareVariants, type VariantDifference } from './compare-variants';
import { readProbesThen } from './past-inputs';
import { findProbeReport, type ProbeReport } from './probe-report';
import type { PropagationInputs } from './propagation-places';
import { divergenceOf, mostListed, pairOf, type VariantCheck } from './variant-check';
import { findVariantPairs, type ProbeSource, type VariantPair } from './variant-pairs';

export interface VariantsApiParts {
  readonly variants: Pick<VariantCheck, 'list'>;
  readonly live: Pick<LiveState, 'everClientsOf'>;
  readonly past: Pick<ClientAtCache, 'find' | 'findState' | 'findTime'>;
  readonly listProbes: () => readonly ProbeSource[];
  readonly differ: Pick<Differ, 'outcomes'>;
}

/** Compares state of the world with delta: the findings of the check, now or as they would have been in the past. */
export class VariantsApi {
  readonly #parts: VariantsApiParts;

  constructor(parts: VariantsApiParts) {
    this.#parts = parts;
  }

  async list({ at: text }: DivergencesQuery): Promise<Divergences> {
    if (text === undefined) return this.#parts.variants.list();
    const requested = parseMoment(text, 'at');
    const at = await this.#parts.past.findTime(requested, 'at');
    const inputs = await readProbesThen(this.#parts, requested);
    const pairs: PairRow[] = [];
    const items: Divergences['items'] = [];
    for (const pair of findVariantPairs(this.#parts.listProbes())) {
      const found = await this.#compare(inputs, pair, at);
      pairs.push(found.row);
      items.push(...found.items);
    }
    return { pairs, items: items.slice(0, mostListed), total: items.length, at };
  }

  async #compare(
    inputs: PropagationInputs,
    pair: VariantPair,
    at: EpochMs,
  ): Promise<{ row: PairRow; items: Divergences['items'] }> {
    const [sotw, delta] = [findProbeReport(inputs, pair.sotw.id), findProbeReport(inputs, pair.delta.id)];
    const names = { target: pair.target, sotwSourceId: pair.sotw.id, deltaSourceId: pair.delta.id };
    // The last state of a source that is not live has no information on the server.
    if (sotw === undefined || delta === undefined || hasEnded(sotw) || hasEnded(delta)) {
      return {
        row: { ...names, state: 'waiting', divergences: 0, compared: 0, checkedAt: undefined },
        items: [],
      };
    }
    const { differences, compared } = await takeSteps(
      compareVariants(sotw.report.resources, delta.report.resources),
    );
    const lasting = [...differences.values()]
      .map((each) => ({ ...each, since: sinceWhen(each, sotw, delta) }))
      .filter(({ since }) => at - since >= streamLagMs)
      .sort(by(({ key }) => key, compareResourceKeys));
    const outcomeOf = await this.#parts.differ.outcomes(lasting.flatMap((each) => pairOf(each) ?? []));
    const items = lasting
      .filter((each) => {
        const bodies = pairOf(each);
        // A body that is no longer stored counts as different.
        return bodies === undefined || outcomeOf(bodies)?.totals.changes !== 0;
      })
      .map((each) => divergenceOf(pair, each, (id) => (id === pair.sotw.id ? sotw : delta).client.clientId));
    const state = items.length > 0 ? 'diverge' : 'agree';
    return {
      row: { ...names, state, divergences: items.length, compared, checkedAt: at },
      items,
    };
  }
}

function hasEnded({ report }: ProbeReport): boolean {
  return report.goneAt !== null;
}

/**
 * Returns the time of the newer change of the two. If one of them no longer has the resource, the time of its removal
 * is not known, and the other change applies.
 */
function sinceWhen({ key }: VariantDifference, ...probes: readonly ProbeReport[]): EpochMs {
  const name = resourceKey(key);
  return Math.max(...probes.map(({ report }) => report.resources.get(name)?.changedAt ?? 0));
}
