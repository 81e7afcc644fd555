import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';

type Sums = Map<string, number>;

/** Sums over all clients except probes. */
export interface FleetSums {
  readonly clients: Sums;
  readonly byState: Map<string, Sums>;
  readonly byConfigStatus: Map<string, Sums>;
  /** The number of clients by the status of the whole type. */
  readonly bySync: Map<string, Sums>;
}

export function* sumFleet(members: readonly FleetMember[]): Steps<FleetSums> {
  const sums = { clients: new Map(), byState: new Map(), byConfigStatus: new Map(), bySync: new Map() };
  for (const [index, { summary }] of members.entries()) {
    if (index % itemsPerStep === 0) yield;
    if (summary.isProbe) continue;
    count(sums.clients, { [summary.freshness]: 1 });
    for (const { service, byState, byConfigStatus, sync } of summary.types) {
      count(ofType(sums.byState, service), byState);
      count(ofType(sums.byConfigStatus, service), byConfigStatus);
      if (sync !== undefined) count(ofType(sums.bySync, service), { [sync]: 1 });
    }
  }
  return sums;
}

function ofType(sums: Map<string, Sums>, type: string): Sums {
  const known: Sums = sums.get(type) ?? new Map();
  sums.set(type, known);
  return known;
}

function count(sums: Sums, counts: Readonly<Record<string, number | undefined>>): void {
  for (const [key, number = 0] of Object.entries(counts))
    if (number > 0) sums.set(key, (sums.get(key) ?? 0) + number);
}
