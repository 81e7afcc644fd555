import type { MethodCounts } from '@/lib/observation/test-client';
import type { EpochMs } from '@/lib/xds/units';

/** Counts that grow as before are reported at this interval, so that a busy client adds little to the log. */
const steadyMs = 10_000;

interface Counted {
  readonly at: EpochMs;
  readonly methods: readonly MethodCounts[];
  /** What grew since the counts that were reported before. */
  readonly growing: ReadonlySet<string>;
}

/** Decides which polls report counts. */
export class CountChanges {
  #reported: Counted | undefined;

  /**
   * Returns whether the counts are reported: the first ones, those with an RPC of another method or status than between
   * the last two reports, counts that fell because the client restarted, and otherwise one poll of each interval in
   * which counts grew, and the one after it.
   */
  isNews(methods: readonly MethodCounts[], at: EpochMs): boolean {
    const before = this.#reported;
    const growing = new Set(before === undefined ? [] : findGrowing(before.methods, methods));
    const isNews = before === undefined || this.#differs(before, { at, methods, growing });
    if (isNews) this.#reported = { at, methods, growing };
    return isNews;
  }

  #differs(before: Counted, { at, methods, growing }: Counted): boolean {
    if (hasFallen(before.methods, methods)) return true;
    if ([...growing].some((key) => !before.growing.has(key))) return true;
    const grew = growing.size > 0 || before.growing.size > 0;
    return grew && at - before.at >= steadyMs;
  }
}

function* findGrowing(before: readonly MethodCounts[], now: readonly MethodCounts[]): Generator<string> {
  const known = new Map(before.flatMap(countsOf));
  for (const [key, count] of now.flatMap(countsOf)) if (count > (known.get(key) ?? 0)) yield key;
}

function hasFallen(before: readonly MethodCounts[], now: readonly MethodCounts[]): boolean {
  const current = new Map(now.flatMap(countsOf));
  return before.flatMap(countsOf).some(([key, count]) => count > (current.get(key) ?? 0));
}

function countsOf({ method, started, ended }: MethodCounts): [string, number][] {
  return [
    [`${method} started`, started],
    ...ended.map(({ code, count }): [string, number] => [`${method} ${code}`, count]),
  ];
}
