import type * as z from 'zod';
import { type State, worstState } from '../../xds/status';
import { isImportedClient } from '../client/is-imported-client';
import type { FleetMember } from './fleet-member';
import { countNacks } from './fleet-sort';
import type { fleetCounts } from './schema';

/** The whole process that streams report is not counted besides its scopes. */
export type FleetCounts = z.infer<typeof fleetCounts>;

export function noCounts(): FleetCounts {
  return {
    clients: 0,
    live: 0,
    stale: 0,
    gone: 0,
    ofFiles: 0,
    inTrouble: 0,
    waiting: 0,
    nackedResources: 0,
    nackedClients: 0,
    worst: undefined,
  };
}

export class FleetTally {
  readonly #counts: FleetCounts = noCounts();
  readonly #byWorst = new Map<State, number>();

  constructor(begun?: FleetTally) {
    if (begun === undefined) return;
    Object.assign(this.#counts, begun.#counts);
    for (const [status, clients] of begun.#byWorst) this.#byWorst.set(status, clients);
  }

  get counts(): FleetCounts {
    const occurring = [...this.#byWorst].flatMap(([state, clients]) => (clients > 0 ? [state] : []));
    return { ...this.#counts, worst: worstState(occurring) };
  }

  add(member: FleetMember): void {
    this.#count(member, 1);
  }

  /** Precondition: the member is the same object as when it was added. */
  remove(member: FleetMember): void {
    this.#count(member, -1);
  }

  #count({ summary, link }: FleetMember, by: 1 | -1): void {
    const { worst, freshness, trouble, waiting } = summary;
    if (worst !== undefined) this.#byWorst.set(worst, (this.#byWorst.get(worst) ?? 0) + by);
    if (link?.kind === 'whole') return;
    const nacks = countNacks(summary);
    const counts = this.#counts;
    counts.clients += by;
    const group = isImportedClient(summary) ? 'ofFiles' : freshness;
    counts[group] += by;
    if (group === 'gone') return;
    if (trouble > 0) counts.inTrouble += by;
    if (waiting !== undefined) counts.waiting += by;
    counts.nackedResources += by * nacks;
    if (nacks > 0) counts.nackedClients += by;
  }
}
