import type { FleetMember } from '@/lib/views/fleet/fleet-member';

type Sums = Map<string, number>;

/** Sums over all clients except probes, updated when a summary changes. */
export class FleetSums {
  readonly clients: Sums = new Map();
  readonly byState = new Map<string, Sums>();
  readonly byConfigStatus = new Map<string, Sums>();
  /** The number of clients by the status of the whole type. */
  readonly bySync = new Map<string, Sums>();

  add(member: FleetMember): void {
    this.#count(member, 1);
  }

  /** Precondition: the same member was added. */
  remove(member: FleetMember): void {
    this.#count(member, -1);
  }

  #count({ summary }: FleetMember, by: 1 | -1): void {
    if (summary.isProbe) return;
    count(this.clients, summary.freshness, by);
    for (const { service: type, byState, byConfigStatus, sync } of summary.types) {
      countAll(this.byState, type, byState, by);
      countAll(this.byConfigStatus, type, byConfigStatus, by);
      if (sync !== undefined) countAll(this.bySync, type, { [sync]: 1 }, by);
    }
  }
}

function countAll(
  sums: Map<string, Sums>,
  type: string,
  counts: Readonly<Record<string, number | undefined>>,
  by: 1 | -1,
): void {
  const ofType: Sums = sums.get(type) ?? new Map();
  sums.set(type, ofType);
  for (const [status, number] of Object.entries(counts)) count(ofType, status, by * (number ?? 0));
  if (ofType.size === 0) sums.delete(type);
}

function count(sums: Sums, key: string, by: number): void {
  const sum = (sums.get(key) ?? 0) + by;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}
