import { VHDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { onDemandClusters, type Statistics, type Subscription } from './read-statistics';

/** A subscription whose newest response Envoy rejected, or may have rejected. */
export interface RejectedSubscription {
  readonly typeUrl: string;
  /** See Subscription. */
  readonly name: string;
  /** The statistic that rose, as in "http.ingress.rds.routes.update_rejected". */
  readonly statistic: string;
  /** The time when the rejection was seen. */
  readonly at: EpochMs;
  /**
   * `rejected`: the newest response. `shared`: the newest response of several subscriptions, not all of which need be
   * wrong: Envoy counts a response on an ADS stream for each resource in it. `unclear`: one response was rejected and one accepted, in an
   * order that is not known.
   */
  readonly verdict: 'rejected' | 'shared' | 'unclear';
  /** The update_success of the subscription then. */
  readonly successes: number;
}

/** A rejection that an earlier process of xdscope reported. */
export type EarlierRejection = Pick<RejectedSubscription, 'statistic' | 'at' | 'verdict' | 'successes'>;

/** The uptime is that of the newest flush of statistics, which is at most 5 minutes ago (stats_flush_interval). */
const uptimeToleranceMs = 5 * 60_000;
/** The newest are kept. */
const maxRejected = 2_000;

/** The last attempt may still be without its result, and is counted after it. */
const minIdleAttempts = 3;

/** So many rejections between two polls are those of one response that a control plane sends again after each NACK. */
const minRepetitions = 10;

/** Concludes from counters, poll by poll, which subscriptions were rejected last. */
export class RejectionTracker {
  #known: readonly EarlierRejection[];
  #before: { readonly statistics: Statistics; readonly at: EpochMs } | undefined;
  /** The key is the name of the statistics. The newest rejection is the last one. */
  #rejected = new Map<string, RejectedSubscription>();
  #earlier: readonly string[] = [];
  /**
   * The rate at which rejections were repeated up to now, or to the time of an accepted response, by the name of the
   * statistics.
   */
  readonly #repeated = new Map<string, { readonly perMs: number; readonly acceptedAt: EpochMs | null }>();
  /** The attempts without a result when the counters of a rejected subscription rose last, by the name of the statistics. */
  readonly #idleAttempts = new Map<string, number>();
  /** The types, without those of several resources, whose rejected response the management server does not serve any longer. */
  readonly #withdrawn = new Map<string, Subscription>();

  /** Rejections in `known` count if the first statistics show the same process, and no success since. */
  constructor(known: readonly EarlierRejection[] = []) {
    this.#known = known;
  }

  get rejected(): readonly RejectedSubscription[] {
    return [...this.#rejected.values()];
  }

  /**
   * Statistics of subscriptions that were both rejected and accepted before they were read first: whether their newest
   * response was rejected is not known.
   */
  get earlier(): readonly string[] {
    return this.#earlier;
  }

  /** The type URLs of CDS and LDS whose rejected response is no longer served, and was not replaced by another one. */
  get withdrawn(): readonly string[] {
    return [...this.#withdrawn.values()].flatMap(({ typeUrl, name }) => (name === '' ? [typeUrl] : []));
  }

  /** The rejected subscriptions whose attempts show whether they end, by the names of their statistics. */
  get polled(): readonly string[] {
    return [...this.#rejected].flatMap(([statistic, { typeUrl }]) =>
      typeUrl === VHDS.typeUrl || statistic === onDemandClusters ? [] : [statistic],
    );
  }

  /**
   * Reads the attempts of `polled`. A subscription of REST polls: an attempt that is neither a success nor a rejection found
   * nothing new, so that the management server serves what Envoy accepted. Attempts of a stream have a result, except those
   * that change its names. Envoy accepts a rejected cluster that is sent again with equal bytes, and does not use it: what
   * was both rejected and accepted is not withdrawn. Returns whether `rejected` changed.
   */
  readAttempts(attempts: ReadonlyMap<string, number>): boolean {
    let isChanged = false;
    for (const [statistic, count] of attempts) {
      const now = this.#before?.statistics.subscriptions.get(statistic);
      if (now === undefined || !this.#rejected.has(statistic)) continue;
      const idle = count - now.success - now.rejected;
      const before = this.#idleAttempts.get(statistic);
      if (before === undefined || idle < before) this.#idleAttempts.set(statistic, idle);
      else if (idle - before >= minIdleAttempts) {
        if (this.#rejected.get(statistic)?.verdict !== 'unclear') this.#withdrawn.set(statistic, now);
        this.#rejected.delete(statistic);
        isChanged = true;
      }
    }
    return isChanged;
  }

  /** Returns whether `rejected` changed. */
  read(statistics: Statistics, at: EpochMs): boolean {
    const known = [...this.#rejected.values()];
    const before =
      this.#before && isOfSameProcess(this.#before, { statistics, at }) ? this.#before : undefined;
    this.#before = { statistics, at };
    if (before === undefined) this.#begin(statistics, at);
    else this.#compare(before, statistics, at);
    for (const [key] of [...this.#rejected].slice(0, Math.max(0, this.#rejected.size - maxRejected)))
      this.#rejected.delete(key);
    const now = [...this.#rejected.values()];
    return now.length !== known.length || now.some((each, index) => each !== known[index]);
  }

  /** A subscription that never was successful was rejected; of others, totals do not show what came last. */
  #begin(statistics: Statistics, at: EpochMs): void {
    const { subscriptions } = statistics;
    this.#rejected = new Map();
    this.#repeated.clear();
    this.#idleAttempts.clear();
    this.#withdrawn.clear();
    this.#keepKnown(statistics, at);
    const ever = [...subscriptions].filter(
      ([statistic, { rejected }]) => rejected > 0 && !this.#rejected.has(statistic),
    );
    this.#earlier = ever.filter(([, { success }]) => success > 0).map(([statistic]) => statistic);
    this.#add(new Map(ever.filter(([, { success }]) => success === 0)), at);
  }

  #keepKnown({ subscriptions, uptimeMs }: Statistics, now: EpochMs): void {
    const known = this.#known;
    this.#known = [];
    if (uptimeMs === null) return;
    for (const { statistic: counter, at, ...rejection } of known) {
      const statistic = counter.replace(/\.update_rejected$/, '');
      const found = subscriptions.get(statistic);
      const isOfProcess = now - uptimeMs - uptimeToleranceMs <= at;
      if (!isOfProcess || found === undefined) continue;
      if (found.rejected > 0 && found.success === rejection.successes)
        this.#put(statistic, found, rejection.verdict, at);
    }
  }

  #compare(before: Reading, { subscriptions }: Statistics, at: EpochMs): void {
    const rejected = new Map<string, Subscription>();
    const both = new Map<string, { readonly now: Subscription; readonly isMostlyRejected: boolean }>();
    const settled = new Set<string>();
    for (const [statistic, now] of subscriptions) {
      const known = before.statistics.subscriptions.get(statistic);
      // The counters of a resource that was removed and added again start anew.
      const old = known !== undefined && hasFallen(known, now) ? undefined : known;
      const rejections = now.rejected - (old?.rejected ?? 0);
      const successes = now.success - (old?.success ?? 0);
      if (rejections === 0 && successes === 0) {
        if (this.#hasEnded(statistic, at)) this.#rejected.delete(statistic);
        continue;
      }
      settled.add(statistic);
      this.#rejected.delete(statistic);
      this.#idleAttempts.delete(statistic);
      this.#withdrawn.delete(statistic);
      if (rejections === 0) {
        this.#repeated.delete(statistic);
        continue;
      }
      if (successes === 0) rejected.set(statistic, now);
      else both.set(statistic, { now, isMostlyRejected: rejections > successes });
      const perMs = rejections / Math.max(1, at - before.at);
      const repeated = rejections >= minRepetitions ? { perMs } : this.#repeated.get(statistic);
      if (repeated) this.#repeated.set(statistic, { ...repeated, acceptedAt: successes > 0 ? at : null });
    }
    for (const statistic of this.#rejected.keys()) {
      if (subscriptions.has(statistic)) continue;
      this.#rejected.delete(statistic);
      this.#repeated.delete(statistic);
    }
    this.#earlier = this.#earlier.filter(
      (statistic) => !settled.has(statistic) && subscriptions.has(statistic),
    );
    const rejectedTypes = new Set([...rejected.values()].map(({ typeUrl }) => typeUrl));
    for (const [statistic, { now, isMostlyRejected }] of both) {
      // Resources before the wrong one of a rejected response count both, and take effect. While Envoy replaces a cluster,
      // the old and the new one count, and the endpoints may take effect in the old one alone.
      if (!rejectedTypes.has(now.typeUrl)) this.#put(statistic, now, 'unclear', at);
      else if (isMostlyRejected) rejected.set(statistic, now);
    }
    this.#add(rejected, at);
  }

  /**
   * True if the repeated rejections have ended: at their earlier rate, more of them would have been counted since the
   * response was accepted. Precondition: the statistics did not change since.
   */
  #hasEnded(statistic: string, at: EpochMs): boolean {
    const { perMs = 0, acceptedAt = null } = this.#repeated.get(statistic) ?? {};
    return acceptedAt !== null && perMs * (at - acceptedAt) >= minRepetitions;
  }

  #add(rejected: ReadonlyMap<string, Subscription>, at: EpochMs): void {
    const all = [...rejected.values()];
    const types = new Set(all.map(({ typeUrl }) => typeUrl));
    const shared = new Set(
      [...types].filter((type) => all.filter(({ typeUrl }) => typeUrl === type).length > 1),
    );
    for (const [statistic, each] of rejected)
      this.#put(statistic, each, shared.has(each.typeUrl) ? 'shared' : 'rejected', at);
  }

  #put(
    statistic: string,
    { typeUrl, name, success: successes }: Subscription,
    verdict: RejectedSubscription['verdict'],
    at: EpochMs,
  ): void {
    this.#rejected.set(statistic, {
      typeUrl,
      name,
      statistic: `${statistic}.update_rejected`,
      at,
      verdict,
      successes,
    });
  }
}

interface Reading {
  readonly statistics: Statistics;
  readonly at: EpochMs;
}

/** True if Envoy did not restart in between: counters of CDS and LDS never fall, and the uptime rises with the clock. */
function isOfSameProcess(before: Reading, now: Reading): boolean {
  const [old, current] = [before.statistics, now.statistics];
  if (old.uptimeMs !== null && current.uptimeMs !== null) {
    const expectedMs = old.uptimeMs + (now.at - before.at);
    if (current.uptimeMs < old.uptimeMs || current.uptimeMs + uptimeToleranceMs < expectedMs) return false;
  }
  return [...old.subscriptions].every(([statistic, subscription]) => {
    return subscription.name !== '' || !hasFallen(subscription, current.subscriptions.get(statistic));
  });
}

function hasFallen(before: Subscription, now: Subscription | undefined): boolean {
  return now === undefined || now.rejected < before.rejected || now.success < before.success;
}
