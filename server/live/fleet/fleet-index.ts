import { sortInSteps } from '@/lib/cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { compareNames } from '@/lib/format/compare-names';
import type { ClientState } from '@/lib/observation/client-state';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { joinScopesInSteps, type ScopeLink } from '@/lib/views/fleet/join-scopes';
import type { Clock } from '../../observe';
import { takeSteps } from '../../workers/threads/take-steps';
import type { LiveState } from '../live-state';

interface FleetAtRevision {
  readonly revision: number;
  /** Sorted by name. A client that did not change is the same object as before. */
  readonly members: readonly FleetMember[];
}

interface Kept {
  readonly client: ClientState;
  readonly revision: number;
  member: FleetMember;
}

/** Building a summary takes some microseconds, more for a large client. */
const summariesPerStep = 8;
const followEveryMs = 1_000;

/**
 * The summaries of all clients. find() builds only those that changed since the last call. The field `lastSeenAt` of a
 * summary is as old as the summary.
 */
export class FleetIndex {
  readonly #live: Pick<LiveState, 'world' | 'revisionOf' | 'fleetRevision' | 'summaryOf' | 'watch'>;

  readonly #kept = new Map<string, Kept>();
  #newest: FleetAtRevision = { revision: -1, members: [] };
  #building: Promise<FleetAtRevision> | undefined;
  /** Clients that may have changed since the last find(); undefined before the first one. */
  #touched: Set<string> | undefined;
  /** The index of each client in the newest members. */
  #places = new Map<string, number>();

  constructor(live: Pick<LiveState, 'world' | 'revisionOf' | 'fleetRevision' | 'summaryOf' | 'watch'>) {
    this.#live = live;
    live.watch((clientId) => this.#touched?.add(clientId));
  }

  /** Updates summaries as clients change, so that find() is fast. Returns a function that stops it. */
  follow(clock: Clock): () => void {
    let timer = clock.setTimeout(() => next(), followEveryMs);
    let isStopped = false;
    const next = (): void => {
      void this.find().finally(() => {
        if (!isStopped) timer = clock.setTimeout(next, followEveryMs);
      });
    };
    return () => {
      isStopped = true;
      timer.cancel();
    };
  }

  async find(): Promise<FleetAtRevision> {
    if (this.#newest.revision === this.#live.fleetRevision) return this.#newest;
    this.#building ??= takeSteps(this.#make()).finally(() => {
      this.#building = undefined;
    });
    return this.#building;
  }

  *#make(): Steps<FleetAtRevision> {
    const live = this.#live;
    const { fleetRevision: revision } = live;
    const ids = this.#touched ?? live.world.keys();
    this.#touched = new Set();
    const changed: Kept[] = [];
    let [visited, isOther] = [0, false];
    for (const id of [...ids]) {
      const client = live.world.get(id);
      visited += 1;
      if (visited % itemsPerStep === 0) yield;
      if (client === undefined) {
        isOther = this.#kept.delete(id) || isOther;
        continue;
      }
      const before = this.#kept.get(id);
      const clientRevision = live.revisionOf(id);
      if (before?.client === client && before.revision === clientRevision) continue;
      const member = buildFleetMember(live.summaryOf(client), client.node, before?.member.link);
      isOther ||= before === undefined || processOf(before.member) !== processOf(member);
      const kept = { client, revision: clientRevision, member };
      this.#kept.set(id, kept);
      changed.push(kept);
      if (changed.length % summariesPerStep === 0) yield;
    }
    if (isOther) yield* this.#link();
    const members = isOther ? yield* this.#inOrder() : this.#renewed(changed);
    if (isOther) this.#places = yield* placesOf(members);
    this.#newest = { revision, members };
    return this.#newest;
  }

  /** Finds the clients that belong to one process. */
  *#link(): Steps<void> {
    const links = yield* joinScopesInSteps(summariesOf(this.#kept.values()));
    let visited = 0;
    for (const [id, kept] of this.#kept) {
      visited += 1;
      if (visited % itemsPerStep === 0) yield;
      const link = links.get(id);
      if (isSameLink(kept.member.link, link)) continue;
      kept.member = { ...kept.member, link };
    }
  }

  #inOrder(): Steps<FleetMember[]> {
    return sortInSteps(
      [...this.#kept.values()].map(({ member }) => member),
      ({ summary: a }, { summary: b }) =>
        compareNames(a.nodeId, b.nodeId) || compareNames(a.scope, b.scope) || (a.id < b.id ? -1 : 1),
    );
  }

  /** Returns the members in the same order, with the changed ones replaced. */
  #renewed(changed: readonly Kept[]): readonly FleetMember[] {
    if (changed.length === 0) return this.#newest.members;
    const members = [...this.#newest.members];
    for (const { member } of changed) {
      const place = this.#places.get(member.summary.id);
      if (place !== undefined) members[place] = member;
    }
    return members;
  }
}

function* summariesOf(kept: Iterable<Kept>): Iterable<FleetMember['summary']> {
  for (const { member } of kept) yield member.summary;
}

function* placesOf(members: readonly FleetMember[]): Steps<Map<string, number>> {
  const places = new Map<string, number>();
  for (const [place, { summary }] of members.entries()) {
    places.set(summary.id, place);
    if (places.size % itemsPerStep === 0) yield;
  }
  return places;
}

/** Equal values of a client mean an equal place in the order and the same process. */
function processOf({ summary: { nodeId, scope, reports } }: FleetMember): string {
  return [nodeId, scope, ...reports.map(({ vantage, side }) => `${vantage} ${side}`).sort()].join('\n');
}

function isSameLink(a: ScopeLink | undefined, b: ScopeLink | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
