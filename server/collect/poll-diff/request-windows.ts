import { byDescending } from '@/lib/collections/compare';
import {
  addCounts,
  noRequests,
  type PackedRequests,
  packRequests,
  type RequestCounts,
  type RequestMinute,
  requestMinuteMs,
  requestMinutesKept,
  subtractCounts,
} from '@/lib/observation/packed-requests';
import type { EpochMs } from '@/lib/xds/units';

/** The counters of requests of one channel or cluster since it was created. */
export interface CountedRequests {
  readonly id: string;
  /** Counters with the same name are added up, as of the channels to one target. */
  readonly name: string;
  /** The time at which the counters began, by the clock of the process. Absent: not reported. */
  readonly startedAt?: EpochMs | null;
  readonly counts: RequestCounts;
  /** The requests that were sent to hosts. Absent: not reported. */
  readonly sent?: SentRequests | undefined;
  /** Connections are counted, since the cluster has had no request. */
  readonly isOverTcp?: true;
}

export interface SentRequests {
  readonly ended: number;
  /** Hosts may have begun to answer these. */
  readonly active: number;
  /** Envoy ended these itself, because of a time limit or of the caller. */
  readonly reset: number;
}

const mostFailing = 50;
const mostServed = 200;

/** Turns counters of requests, poll by poll, into counts for each minute. What was counted before the first poll is left out. */
export class RequestWindows {
  #before: ReadonlyMap<string, CountedRequests> | undefined;
  /** See countAdded(). */
  readonly #answered = new WeakMap<CountedRequests, number>();
  #restartedAt: EpochMs | undefined;
  /** The newest minute is the last one. Only names that failed within the time that is kept have earlier ones. */
  readonly #minutes = new Map<string, RequestMinute[]>();
  #all: RequestMinute[] = [];
  #allConnections: RequestMinute[] = [];
  #overTcp: ReadonlySet<string> = new Set();

  /** `isRestarted`: the process was restarted since the poll before, so that its counters have begun anew. */
  count(counted: readonly CountedRequests[], at: EpochMs, isRestarted = false): PackedRequests {
    const before = this.#before;
    const answeredOf = (each: CountedRequests) => this.#answered.get(each) ?? answeredBefore(each);
    this.#before = new Map(counted.map((each) => [each.id, each]));
    this.#chooseWhatCounts(counted);
    if (before !== undefined) {
      const anew = new Set(counted.filter((each) => isRestarted || hasBegunAnew(before.get(each.id), each)));
      if (isRestarted || anew.size > 0) this.#restartedAt = at;
      for (const each of counted) {
        const { name } = each;
        const known = anew.has(each) ? undefined : before.get(each.id);
        const { added, answered } = countAdded(each, known, known === undefined ? 0 : answeredOf(known));
        this.#answered.set(each, answered);
        if (added.completed === 0 && added.failed === 0) continue;
        this.#minutes.set(name, add(this.#minutes.get(name) ?? [], added, at));
        if (each.isOverTcp) this.#allConnections = add(this.#allConnections, added, at);
        else this.#all = add(this.#all, added, at);
      }
    }
    const oldest = at - requestMinutesKept * requestMinuteMs;
    for (const [name, minutes] of this.#minutes) {
      const kept = minutes.filter(({ from }) => from > oldest);
      const hasFailed = kept.some(({ counts }) => counts.failed > 0);
      if (kept.length === 0) this.#minutes.delete(name);
      else this.#minutes.set(name, hasFailed ? kept : kept.slice(-1));
    }
    const isKept = ({ from }: RequestMinute): boolean => from > oldest;
    this.#all = this.#all.filter(isKept);
    this.#allConnections = this.#allConnections.filter(isKept);
    return packRequests({
      ...{ failing: this.#failing(), served: this.#served(), all: this.#all },
      ...{ overTcp: this.#overTcp, allConnections: this.#allConnections, restartedAt: this.#restartedAt },
    });
  }

  /** Once a cluster has a request, its requests count, and the connections before it are forgotten. */
  #chooseWhatCounts(counted: readonly CountedRequests[]): void {
    for (const { name, isOverTcp } of counted)
      if (!isOverTcp && this.#overTcp.has(name)) this.#minutes.delete(name);
    this.#overTcp = new Set(counted.flatMap(({ name, isOverTcp }) => (isOverTcp ? [name] : [])));
  }

  #failing(): ReadonlyMap<string, readonly RequestMinute[]> {
    const sums = [...this.#minutes].flatMap(([name, minutes]) => {
      const failed = minutes.reduce((sum, { counts }) => sum + counts.failed, 0);
      return failed === 0 ? [] : [{ name, minutes, failed }];
    });
    const most = sums.sort(byDescending(({ failed }) => failed)).slice(0, mostFailing);
    return new Map(most.map(({ name, minutes }) => [name, minutes]));
  }

  #served(): ReadonlyMap<string, RequestMinute> {
    const newest = [...this.#minutes].flatMap(([name, minutes]) => {
      const minute = minutes.at(-1);
      const hasFailed = minutes.some(({ counts }) => counts.failed > 0);
      return minute === undefined || hasFailed ? [] : [{ name, minute }];
    });
    const most = newest.sort(byDescending(({ minute: { counts } }) => counts.completed)).slice(0, mostServed);
    return new Map(most.map(({ name, minute }) => [name, minute]));
  }
}

/**
 * Requests that Envoy ended while none was completed ended without an answer. A request is completed with the headers of its
 * answer, and ends later: `answered` of the active ones of the poll before may have been completed, and do not count. Measured with
 * Envoy 1.40.0: what an aggregate sends to a leaf is completed at the aggregate alone.
 */
function countAdded(
  now: CountedRequests,
  known: CountedRequests | undefined,
  answered: number,
): { readonly added: RequestCounts; readonly answered: number } {
  const added = subtractCounts(now.counts, known?.counts ?? noRequests);
  const { ended, active, reset } = now.sent ?? nothingSent;
  const before = known?.sent ?? nothingSent;
  // The counters of one answer are read one after the other, so that one of them may be ahead.
  const isLeaf = now.counts.completed === 0 && ended > 2 * reset;
  const others = ended - before.ended - answered - added.completed;
  const unanswered = Math.min(others, reset - before.reset);
  const isKnown = added.completed === 0 && !isLeaf && unanswered > 0;
  return {
    added: isKnown ? { ...added, completed: unanswered, failed: unanswered, unanswered } : added,
    answered: Math.min(active, Math.max(0, -others)),
  };
}

/** The active requests that may have been completed before the first poll. */
function answeredBefore({ counts, sent }: CountedRequests): number {
  return Math.min(counts.completed, sent?.active ?? 0);
}

const nothingSent: SentRequests = { ended: 0, active: 0, reset: 0 };

/** Counters that have passed their earlier values before the next poll show a restart by the time at which they began. */
function hasBegunAnew(known: CountedRequests | undefined, now: CountedRequests): boolean {
  if (known === undefined) return false;
  const { counts, startedAt } = known;
  if (startedAt !== now.startedAt) return true;
  return counts.completed > now.counts.completed || counts.failed > now.counts.failed;
}

function add(minutes: readonly RequestMinute[], counts: RequestCounts, at: EpochMs): RequestMinute[] {
  const from = Math.floor(at / requestMinuteMs) * requestMinuteMs;
  const last = minutes.at(-1);
  const isNew = last === undefined || last.from < from;
  const known = isNew ? { counts: noRequests, failedAt: undefined } : last;
  const failedAt = known.failedAt ?? (counts.failed > 0 ? at : undefined);
  const minute = { from, counts: addCounts(known.counts, counts), failedAt };
  return [...(isNew ? minutes : minutes.slice(0, -1)), minute];
}
