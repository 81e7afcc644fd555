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
  readonly counts: RequestCounts;
}

const mostFailing = 50;

/** Turns counters of requests, poll by poll, into counts for each minute. What was counted before the first poll is left out. */
export class RequestWindows {
  #before: ReadonlyMap<string, RequestCounts> | undefined;
  /** The newest minute is the last one. Only names that failed within the time that is kept have earlier ones. */
  readonly #minutes = new Map<string, RequestMinute[]>();
  #all: RequestMinute[] = [];

  count(counted: readonly CountedRequests[], at: EpochMs): PackedRequests {
    const before = this.#before;
    this.#before = new Map(counted.map(({ id, counts }) => [id, counts]));
    if (before !== undefined) {
      for (const { id, name, counts } of counted) {
        const known = before.get(id) ?? noRequests;
        // Counters of a process that was restarted begin anew.
        const isOlder = known.completed <= counts.completed && known.failed <= counts.failed;
        const added = subtractCounts(counts, isOlder ? known : noRequests);
        if (added.completed === 0 && added.failed === 0) continue;
        this.#minutes.set(name, add(this.#minutes.get(name) ?? [], added, at));
        this.#all = add(this.#all, added, at);
      }
    }
    const oldest = at - requestMinutesKept * requestMinuteMs;
    for (const [name, minutes] of this.#minutes) {
      const kept = minutes.filter(({ from }) => from > oldest);
      const hasFailed = kept.some(({ counts }) => counts.failed > 0);
      if (kept.length === 0) this.#minutes.delete(name);
      else this.#minutes.set(name, hasFailed ? kept : kept.slice(-1));
    }
    this.#all = this.#all.filter(({ from }) => from > oldest);
    return packRequests({ failing: this.#failing(), all: this.#all });
  }

  #failing(): ReadonlyMap<string, readonly RequestMinute[]> {
    const sums = [...this.#minutes].flatMap(([name, minutes]) => {
      const failed = minutes.reduce((sum, { counts }) => sum + counts.failed, 0);
      return failed === 0 ? [] : [{ name, minutes, failed }];
    });
    const most = sums.sort(byDescending(({ failed }) => failed)).slice(0, mostFailing);
    return new Map(most.map(({ name, minutes }) => [name, minutes]));
  }
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
