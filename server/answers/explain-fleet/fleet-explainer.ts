import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { byDescending } from '@/lib/collections/compare';
import { formatFilterProblem } from '@/lib/filter/parse-filter';
import type { ExplainRequest } from '@/lib/requests/request';
import { summariseBranches } from '@/lib/views/explain/build-explanation';
import type { FleetExplanation, OutcomeClient } from '@/lib/views/explain/fleet-schema';
import type { ExplainedBranch } from '@/lib/views/explain/schema';
import { matchesFleetFilter, parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError } from '../../api-error';
import type { FleetIndex } from '../../live/fleet/fleet-index';
import type { Clock } from '../../observe';
import { nextTurn, sliceMs } from '../../workers/threads/in-slices';
import type { DefaultsParts } from '../client-defaults';
import type { ClientSubject, ClientSubjects } from '../subjects/client-subjects';
import { type ConfigInEffect, findConfigNow, findConfigThen } from './config-in-effect';

interface FleetExplainerParts extends DefaultsParts {
  readonly clock: Clock;
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly subjects: Pick<ClientSubjects, 'find' | 'findOneOfMany'>;
}

export interface FleetExplainQuery {
  readonly request: ExplainRequest;
  readonly q: string;
  /** A moment as in the URL. Absent: now. */
  readonly at?: string | undefined;
  readonly group?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

interface Outcome {
  /** Equal for equal branches. */
  readonly id: string;
  /** They lack what differs between clients that do the same: listeners, routes and endpoints. */
  readonly branches: readonly ExplainedBranch[];
  readonly isHypothetical: boolean;
  /** As in "virtual host shop, route cart"; empty if none is reached. */
  readonly route: string;
}

interface Group extends Omit<Outcome, 'route'> {
  readonly clients: FleetMember[];
  /** The number of clients by route. */
  readonly routes: Map<string, number>;
  readonly configs: Set<string>;
}

/** The outcomes of one request by ConfigInEffect.key. */
type Outcomes = Map<string, Outcome>;
/** By the same key, or by client. */
type Pending = Map<string, Promise<Outcome>>;

/** MUTABLE: one request for all clients at one time. */
interface Run {
  readonly request: ExplainRequest;
  readonly requestedAt: string | undefined;
  /** Clients at the moment; absent: now. */
  readonly moment?: { unreported: number; incomplete: number };
  /** The members of the fleet, and those that the request is explained for. */
  readonly all: readonly FleetMember[];
  readonly members: readonly FleetMember[];
  readonly leftOut: { readonly gone: number; readonly probes: number };
  readonly problems: readonly string[];
  readonly groups: Map<string, Group>;
  readonly configs: Set<string>;
  at: EpochMs;
  explained: number;
  isComplete: boolean;
  askedAt: EpochMs;
  ended: Promise<void>;
}

const runsKept = 8;
/** An answer waits so long for the whole fleet. */
const waitMs = 800;
/** A run ends if nobody has asked for it this long. */
const abandonedMs = 15_000;
const groupsListed = 100;
const clientsNamed = 5;
const routesNamed = 3;
/** The next client is prepared while the worker explains the last one. */
const atOnce = 3;

/**
 * Explains one request for all clients. Clients with the same config in effect are explained once, and outcomes are kept for
 * the next question about the same request.
 */
export class FleetExplainer {
  readonly #parts: FleetExplainerParts;
  readonly #runs = new LRUCache<string, Run>({ max: runsKept });
  readonly #outcomes = new LRUCache<string, Outcomes>({ max: runsKept });
  /** A member is replaced when its client changes. */
  readonly #configs = new WeakMap<FleetMember, ConfigInEffect>();

  constructor(parts: FleetExplainerParts) {
    this.#parts = parts;
  }

  /** Answers after a time even if not all clients are explained. */
  async find({ request, q, at, group, offset, limit }: FleetExplainQuery): Promise<FleetExplanation> {
    const { clock, fleet } = this.#parts;
    const { members } = await fleet.find();
    const name = JSON.stringify([request, q, at]);
    let run = this.#runs.get(name);
    // The past does not change.
    if (run === undefined || (run.isComplete && run.all !== members && at === undefined)) {
      run = this.#start(name, { request, q, at, all: members });
      this.#runs.set(name, run);
    }
    run.askedAt = clock.now();
    await this.#wait(run.ended);
    return answerOf(run, { group, offset, limit });
  }

  #start(
    name: string,
    { request, q, at, all }: Pick<FleetExplainQuery, 'request' | 'q' | 'at'> & Pick<Run, 'all'>,
  ): Run {
    const now = this.#parts.clock.now();
    const filter = parseFleetFilter(q, now);
    const matching = all.filter(
      (member) => member.link?.kind !== 'whole' && matchesFleetFilter(member, filter),
    );
    const probes = matching.filter(({ summary }) => summary.isProbe);
    const clients = matching.filter(({ summary }) => !summary.isProbe);
    // A client that is gone now may have been there then.
    const members = clients.filter(({ summary }) => at !== undefined || summary.freshness !== 'gone');
    const run: Run = {
      ...{ request, requestedAt: at, all, members },
      ...(at !== undefined && { moment: { unreported: 0, incomplete: 0 } }),
      leftOut: { gone: clients.length - members.length, probes: probes.length },
      problems: filter.problems.map((problem) => formatFilterProblem(q, problem)),
      ...{ groups: new Map(), configs: new Set(), at: now, explained: 0, isComplete: false, askedAt: now },
      ended: Promise.resolve(),
    };
    run.ended = this.#explainAll(run).catch((error: unknown) => {
      // The next question starts again.
      if (this.#runs.get(name) === run) this.#runs.delete(name);
      throw error;
    });
    // The error is that of the questions which wait for the run.
    run.ended.catch(() => undefined);
    return run;
  }

  async #explainAll(run: Run): Promise<void> {
    const name = JSON.stringify(run.request);
    const outcomes = this.#outcomes.get(name) ?? new Map<string, Outcome>();
    this.#outcomes.set(name, outcomes);
    const pending: Pending = new Map();
    const members = run.members.values();
    const lane = async (): Promise<void> => {
      let startedAt = performance.now();
      for (const member of members) {
        if (performance.now() - startedAt > sliceMs) {
          await nextTurn();
          startedAt = performance.now();
          this.#assertAsked(run);
        }
        await this.#explainMember(run, member, outcomes, pending);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    if (run.moment === undefined) run.at = this.#parts.clock.now();
    run.isComplete = true;
  }

  #assertAsked({ askedAt }: Run): void {
    const idleMs = this.#parts.clock.now() - askedAt;
    if (idleMs > abandonedMs)
      throw new Error(`expected a question within ${abandonedMs} ms, got none for ${idleMs} ms`);
  }

  async #explainMember(run: Run, member: FleetMember, outcomes: Outcomes, pending: Pending): Promise<void> {
    const { id } = member.summary;
    const found = await this.#findConfig(run, member);
    if (found === undefined) return;
    const { key } = found;
    const name = key ?? `client ${id}`;
    let outcome = key === undefined ? undefined : outcomes.get(key);
    if (outcome === undefined) {
      const asked = pending.get(name) ?? this.#ask(run.request, found);
      pending.set(name, asked);
      outcome = await asked;
      pending.delete(name);
      if (key !== undefined) outcomes.set(key, outcome);
    }
    run.configs.add(name);
    const { route, ...common } = outcome;
    const group: Group = run.groups.get(outcome.id) ?? {
      ...{ ...common, clients: [], configs: new Set(), routes: new Map() },
    };
    run.groups.set(outcome.id, group);
    group.clients.push(member);
    group.routes.set(route, (group.routes.get(route) ?? 0) + 1);
    run.explained += 1;
    group.configs.add(name);
  }

  /** Returns undefined for a client that is not of the fleet: it was removed since, or was not there at the moment. */
  async #findConfig(run: Run, member: FleetMember): Promise<ConfigInEffect | undefined> {
    const { subjects } = this.#parts;
    const { requestedAt, moment } = run;
    if (requestedAt === undefined || moment === undefined) {
      const found = this.#configs.get(member) ?? (await findConfigNow(member, subjects, this.#parts));
      if (found?.key !== undefined) this.#configs.set(member, found);
      return found;
    }
    const subject = await findThen(subjects, member.summary.id, requestedAt);
    if (subject === undefined) {
      moment.unreported += 1;
      return undefined;
    }
    run.at = subject.at;
    if (subject.moment?.incomplete) moment.incomplete += 1;
    return findConfigThen(subject, this.#parts);
  }

  async #ask(about: ExplainRequest, { question, source, isHypothetical }: ConfigInEffect): Promise<Outcome> {
    const asked = { ...question, about, stepsKept: 0 };
    const answer = await this.#parts.graphs.ask('explain', source, asked, undefined, true);
    const branches = answer.branches.map(
      ({ endpoints, listener, filterChain, virtualHost, route, ...branch }) => branch,
    );
    const text = JSON.stringify([isHypothetical, branches]);
    const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const { virtualHost, route } = answer.outcome;
    const names = [
      virtualHost && `virtual host ${virtualHost}`,
      route && (/^route \d+$/.test(route) ? route : `route ${route}`),
    ];
    return { id, branches, isHypothetical, route: names.filter((name) => name).join(', ') };
  }

  async #wait(ended: Promise<void>): Promise<void> {
    let timer: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#parts.clock.setTimeout(resolve, waitMs);
    });
    try {
      await Promise.race([ended, late]);
    } finally {
      timer?.cancel();
    }
  }
}

/** Returns undefined if the log reports nothing of the client then. */
async function findThen(
  subjects: Pick<ClientSubjects, 'find'>,
  id: string,
  at: string,
): Promise<ClientSubject | undefined> {
  try {
    return await subjects.find(id, at);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function answerOf(
  run: Run,
  { group, offset, limit }: Pick<FleetExplainQuery, 'group' | 'offset' | 'limit'>,
): FleetExplanation {
  const { request, members, leftOut, problems, groups, configs, at, explained, isComplete, moment } = run;
  const sorted = [...groups.values()].sort(byDescending(({ clients }) => clients.length));
  const chosen = group === undefined ? undefined : sorted.find(({ id }) => id === group);
  const { method, scheme, authority, path, headers, connection } = request;
  return {
    at,
    request: {
      ...{ method, scheme, authority, path, headers: headers.map(([name, value]) => [name, value]) },
      ...(connection && { connection }),
    },
    groups: sorted
      .slice(0, groupsListed)
      .map(({ id, branches, isHypothetical, clients, configs, routes }) => ({
        ...{ id, outcome: summariseBranches(branches, isHypothetical), branches: branches.length },
        ...{ clients: clients.length, configs: configs.size },
        routes: [...routes]
          .sort(byDescending(([, count]) => count))
          .slice(0, routesNamed)
          .flatMap(([name, count]) => (name === '' ? [] : [{ name, clients: count }])),
        routesTotal: routes.size,
        someClients: clients.slice(0, clientsNamed).map(clientOf),
      })),
    groupsTotal: sorted.length,
    ...(chosen && {
      chosen: {
        ...{ id: chosen.id, offset, total: chosen.clients.length },
        items: chosen.clients.slice(offset, offset + limit).map(clientOf),
      },
    }),
    ...{ explained, total: members.length, isComplete, configs: configs.size },
    ...leftOut,
    ...(moment && { moment: { at, ...moment } }),
    problems: [...problems],
  };
}

function clientOf({ summary: { id, nodeId, scope, userAgent } }: FleetMember): OutcomeClient {
  return { id, nodeId, scope, userAgent };
}
