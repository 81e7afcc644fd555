import type { EpochMs } from '@/lib/xds/units';

/** The time over which calls per second are counted. */
const rateMs = 5_000;

interface Count {
  readonly at: EpochMs;
  readonly started: number;
}

/** Calls per second of connections, from how many each has started whenever it was read. */
export class CallRates {
  /** The counts by id of the connection, the oldest first. */
  readonly #counts = new Map<string, readonly Count[]>();

  /** null: the connection was not counted before. `at`: when it was read. */
  count(id: string, started: number, at: EpochMs): number | null {
    const known = this.#counts.get(id) ?? [];
    // The newest count stays even if it is older, because some connections are read more rarely.
    const earlier = known.filter((each, index) => at - each.at <= rateMs || index === known.length - 1);
    const [oldest] = earlier;
    const isCounted = oldest !== undefined && oldest.at < at && oldest.started <= started;
    this.#counts.set(id, [...(isCounted ? earlier : []), { at, started }]);
    return isCounted ? ((started - oldest.started) * 1000) / (at - oldest.at) : null;
  }

  /** Call once for each poll: the others have ended. */
  keep(ids: ReadonlyMap<string, unknown>): void {
    for (const id of this.#counts.keys()) if (!ids.has(id)) this.#counts.delete(id);
  }
}
