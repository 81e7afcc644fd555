import { by } from '@/lib/collections/compare';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import { describeMismatch } from '@/lib/sync/describe-mismatch';
import { streamLagMs } from '@/lib/sync/find-first-mismatch';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { Divergence, Divergences, VariantPair as PairRow } from '@/lib/views/propagation/schema';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { Differ } from '../../compute/diff/differ';
import type { Clock } from '../../observe';
import { takeSteps } from '../../workers/threads/take-steps';
import type { LiveState } from '../live-state';
import { compareVariants, type VariantDifference } from './compare-variants';
import { findProbeReport, type ProbeReport } from './probe-report';
import { findVariantPairs, type ProbeSource, type VariantPair } from './variant-pairs';

interface VariantCheckOptions {
  readonly clock: Clock;
  readonly live: Pick<LiveState, 'world' | 'clientsOfSource' | 'revisionOf'>;
  readonly listProbes: () => readonly ProbeSource[];
  readonly freshnessOf: FreshnessOf;
  readonly differ: Pick<Differ, 'outcomes'>;
  /** Called when a finding begins or ends. */
  readonly publish: (finding: Divergence, state: 'raised' | 'resolved') => void;
}

const everyMs = 1_000;
export const mostListed = 1_000;

interface Candidate extends VariantDifference {
  readonly since: EpochMs;
  /** The difference has lasted, and is one of content and not of notation or order. */
  isRaised: boolean;
  isValidated: boolean;
}

interface Kept {
  pair: VariantPair;
  revision: string;
  candidates: Map<string, Candidate>;
  compared: number;
  checkedAt: EpochMs | undefined;
}

/**
 * Compares state of the world and delta at intervals: two sources that request the same resources of the same server
 * should receive the same content. A difference of content that lasts for some seconds is a finding.
 */
export class VariantCheck {
  readonly #options: VariantCheckOptions;
  readonly #kept = new Map<string, Kept>();
  #timer: { cancel(): void } | undefined;
  #closed = false;

  constructor(options: VariantCheckOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#closed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      void this.check().finally(() => this.start());
    }, everyMs);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  list(): Divergences {
    const pairs = [...this.#kept.values()];
    const items = pairs.flatMap((kept) => this.#findingsOf(kept));
    return {
      pairs: pairs.map((kept) => this.#rowOf(kept)),
      items: items.slice(0, mostListed),
      total: items.length,
    };
  }

  async check(): Promise<void> {
    const pairs = findVariantPairs(this.#options.listProbes());
    const names = new Set(pairs.map(nameOf));
    for (const [name, kept] of this.#kept) {
      if (names.has(name)) continue;
      this.#forget(kept);
      this.#kept.delete(name);
    }
    for (const pair of pairs) {
      const name = nameOf(pair);
      const kept = this.#kept.get(name) ?? {
        ...{ pair, revision: '', candidates: new Map(), compared: 0, checkedAt: undefined },
      };
      kept.pair = pair;
      this.#kept.set(name, kept);
      await this.#checkPair(kept);
    }
  }

  async #checkPair(kept: Kept): Promise<void> {
    const { clock, live } = this.#options;
    const found = this.#findBoth(kept.pair);
    // The last state of a source that is not live has no information on the server.
    if (found === undefined) {
      kept.revision = '';
      kept.checkedAt = undefined;
      this.#forget(kept);
      return;
    }
    const { sotw, delta } = found;
    const revision = [sotw, delta].map(({ client }) => live.revisionOf(client.clientId)).join(' ');
    if (revision !== kept.revision) {
      const { differences, compared } = await takeSteps(
        compareVariants(sotw.report.resources, delta.report.resources),
      );
      kept.revision = revision;
      kept.compared = compared;
      this.#replace(kept, differences);
    }
    kept.checkedAt = clock.now();
    await this.#validate(kept);
  }

  #replace(kept: Kept, differences: ReadonlyMap<string, VariantDifference>): void {
    const now = this.#options.clock.now();
    const before = kept.candidates;
    kept.candidates = new Map();
    for (const [key, difference] of differences) {
      const known = before.get(key);
      const isSame =
        known !== undefined &&
        known.sotwHash === difference.sotwHash &&
        known.deltaHash === difference.deltaHash &&
        known.kind === difference.kind;
      kept.candidates.set(
        key,
        isSame ? known : { ...difference, since: now, isRaised: false, isValidated: false },
      );
    }
    for (const [key, candidate] of before) {
      // A candidate that was replaced is raised again when it lasts.
      if (candidate.isRaised && kept.candidates.get(key) !== candidate)
        this.#publish(kept, candidate, 'resolved');
    }
  }

  async #validate(kept: Kept): Promise<void> {
    const now = this.#options.clock.now();
    const due = [...kept.candidates.values()].filter(
      ({ isValidated, since }) => !isValidated && now - since >= streamLagMs,
    );
    if (due.length === 0) return;
    const pairs = due.flatMap((each) => pairOf(each) ?? []);
    const outcomeOf = await this.#options.differ.outcomes(pairs, { priority: 'background' });
    for (const candidate of due) {
      const pair = pairOf(candidate);
      candidate.isValidated = true;
      // A body that is no longer stored counts as different.
      candidate.isRaised = pair === undefined || outcomeOf(pair)?.totals.changes !== 0;
      if (candidate.isRaised) this.#publish(kept, candidate, 'raised');
    }
  }

  /** Returns both reports, or undefined unless both sources are live. */
  #findBoth({ sotw, delta }: VariantPair): { sotw: ProbeReport; delta: ProbeReport } | undefined {
    const { live, freshnessOf } = this.#options;
    const [left, right] = [findProbeReport(live, sotw.id), findProbeReport(live, delta.id)];
    if (left === undefined || right === undefined) return undefined;
    const areLive = [left, right].every(
      ({ client, report }) => freshnessOf(report, client.clientId).freshness === 'live',
    );
    return areLive ? { sotw: left, delta: right } : undefined;
  }

  #forget(kept: Kept): void {
    for (const candidate of kept.candidates.values()) {
      if (candidate.isRaised) this.#publish(kept, candidate, 'resolved');
    }
    kept.candidates = new Map();
  }

  #publish(kept: Kept, candidate: Candidate, state: 'raised' | 'resolved'): void {
    this.#options.publish(this.#findingOf(kept, candidate), state);
  }

  #findingsOf(kept: Kept): Divergence[] {
    return [...kept.candidates.values()]
      .filter(({ isRaised }) => isRaised)
      .sort(by(({ key }) => key, compareResourceKeys))
      .map((candidate) => this.#findingOf(kept, candidate));
  }

  #findingOf({ pair }: Kept, candidate: Candidate): Divergence {
    const { live } = this.#options;
    const clientOf = (sourceId: string): string => findProbeReport(live, sourceId)?.client.clientId ?? '';
    return divergenceOf(pair, candidate, clientOf);
  }

  #rowOf({ pair, candidates, compared, checkedAt }: Kept): PairRow {
    const divergences = [...candidates.values()].filter(({ isRaised }) => isRaised).length;
    return {
      target: pair.target,
      sotwSourceId: pair.sotw.id,
      deltaSourceId: pair.delta.id,
      state: checkedAt === undefined ? 'waiting' : divergences > 0 ? 'diverge' : 'agree',
      divergences,
      compared: checkedAt === undefined ? 0 : compared,
      checkedAt,
    };
  }
}

/** `clientOf` returns the client id of a probe. */
export function divergenceOf(
  pair: VariantPair,
  { key, kind, since, sotwHash, deltaHash }: VariantDifference & { readonly since: EpochMs },
  clientOf: (sourceId: string) => string,
): Divergence {
  return {
    finding: 'sotw-delta-divergence',
    target: pair.target,
    ...key,
    service: formatResourceType(key.typeUrl),
    kind,
    text: describeMismatch({ from: 'sotw', to: 'delta', kind }),
    since,
    sotw: { clientId: clientOf(pair.sotw.id), sourceId: pair.sotw.id, hash: sotwHash },
    delta: { clientId: clientOf(pair.delta.id), sourceId: pair.delta.id, hash: deltaHash },
  };
}

function nameOf({ sotw, delta }: VariantPair): string {
  return `${sotw.id}\n${delta.id}`;
}

export function pairOf({ key, sotwHash, deltaHash }: VariantDifference) {
  if (sotwHash === undefined || deltaHash === undefined) return undefined;
  return { typeUrl: key.typeUrl, left: sotwHash, right: deltaHash };
}
