import { compareNames } from '@/lib/format/compare-names';
import type { ClientState } from '@/lib/observation/client-state';
import { sortInSteps } from '@/lib/steps/sort-in-steps';
import { itemsPerStep, type Steps } from '@/lib/steps/steps';
import { buildFleetMember, type FleetMember } from '@/lib/view-model/fleet/fleet-member';
import { joinScopes, type ScopeLink } from '@/lib/view-model/fleet/join-scopes';
import type { LiveState } from '../live/live-state';
import type { Clock } from '../observe';
import { takeSteps } from '../threads/take-steps';

export interface FleetAtRevision {
  readonly revision: number;
  /** In the order of their names. Who did not change is the same object as before. */
  readonly members: readonly FleetMember[];
}

interface Kept {
  readonly client: ClientState;
  readonly revision: number;
  member: FleetMember;
}

/** A summary is made of the reports that there are: some microseconds, more for large clients. */
const summariesPerStep = 8;
const followEveryMs = 1_000;

/**
 * All clients, summarised, kept: who asks again pays for the clients that changed meanwhile, and for a look at the
 * others' revisions. When a summary was last confirmed (`lastSeenAt`) is as of when it was made.
 */
export class FleetKeeper {
  private readonly kept = new Map<string, Kept>();
  private newest: FleetAtRevision = { revision: -1, members: [] };
  private making: Promise<FleetAtRevision> | undefined;

  constructor(
    private readonly live: Pick<LiveState, 'world' | 'revisionOf' | 'fleetRevision' | 'summaryOf'>,
  ) {}

  /** From now on changes are worked in as they come: who asks finds most of it done. Returns how to stop it. */
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
    if (this.newest.revision === this.live.fleetRevision) return this.newest;
    this.making ??= takeSteps(this.make()).finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private *make(): Steps<FleetAtRevision> {
    const { live } = this;
    const { fleetRevision: revision } = live;
    let [looked, made] = [0, 0];
    let isOther = false;
    for (const id of [...live.world.keys()]) {
      const client = live.world.get(id);
      looked += 1;
      if (looked % itemsPerStep === 0) yield;
      if (client === undefined) continue;
      const before = this.kept.get(id);
      const clientRevision = live.revisionOf(id);
      if (before?.client === client && before.revision === clientRevision) continue;
      const member = buildFleetMember(live.summaryOf(client), client.node, before?.member.link);
      isOther ||= before === undefined || processOf(before.member) !== processOf(member);
      this.kept.set(id, { client, revision: clientRevision, member });
      made += 1;
      if (made % summariesPerStep === 0) yield;
    }
    for (const id of this.kept.keys()) {
      if (live.world.has(id)) continue;
      this.kept.delete(id);
      isOther = true;
    }
    if (isOther) yield* this.link();
    const members = isOther ? yield* this.inOrder() : this.renewed();
    this.newest = { revision, members };
    return this.newest;
  }

  /** Which clients are of one process. */
  private *link(): Steps<void> {
    const links = joinScopes([...this.kept.values()].map(({ member }) => member.summary));
    yield;
    for (const [id, kept] of this.kept) {
      const link = links.get(id);
      if (isSameLink(kept.member.link, link)) continue;
      kept.member = { ...kept.member, link };
    }
  }

  private inOrder(): Steps<FleetMember[]> {
    return sortInSteps(
      [...this.kept.values()].map(({ member }) => member),
      ({ summary: a }, { summary: b }) =>
        compareNames(a.nodeId, b.nodeId) || compareNames(a.scope, b.scope) || (a.id < b.id ? -1 : 1),
    );
  }

  /** The same clients in the same order, as they are now. */
  private renewed(): FleetMember[] {
    return this.newest.members.map((member) => this.kept.get(member.summary.id)?.member ?? member);
  }
}

/** What its place in the order and its process are known by. */
function processOf({ summary: { nodeId, scope, reports } }: FleetMember): string {
  return [nodeId, scope, ...reports.map(({ vantage, side }) => `${vantage} ${side}`).sort()].join('\n');
}

function isSameLink(a: ScopeLink | undefined, b: ScopeLink | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
