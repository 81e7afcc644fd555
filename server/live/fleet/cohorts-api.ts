import { LRUCache } from 'lru-cache';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { formatFilterProblem } from '@/lib/filter/parse-filter';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import { buildCohorts, type Cohort, type Cohorts } from '@/lib/views/fleet/build-cohorts';
import { type FleetFilter, matchesFleetFilter, parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { CohortRow, CohortsAnswer, CohortsQuery } from '@/lib/views/fleet/schema';
import { parseTypeKey } from '@/lib/views/resources/resource-ref';
import { isProcessDocument } from '@/lib/xds/process-document';
import { formatResourceType } from '@/lib/xds/resource-type';
import { badRequest } from '../../api-error';
import type { Clock } from '../../observe';
import { takeSteps } from '../../workers/threads/take-steps';
import type { FleetIndex } from './fleet-index';

const answersKept = 8;
const clientsNamed = 5;

/** Groups the clients by the content that they hold, and finds what the members of a group have in common. */
export class CohortsApi {
  readonly #fleet: Pick<FleetIndex, 'find'>;
  readonly #clock: Pick<Clock, 'now'>;

  /** The key is the list of members, which is replaced when a client changes. */
  readonly #answers = new WeakMap<readonly FleetMember[], LRUCache<string, Promise<CohortsAnswer>>>();

  constructor(fleet: Pick<FleetIndex, 'find'>, clock: Pick<Clock, 'now'>) {
    this.#fleet = fleet;
    this.#clock = clock;
  }

  async find({ type, q, limit }: CohortsQuery): Promise<CohortsAnswer> {
    const typeUrl = type === undefined ? undefined : parseTypeKey(type);
    if (type !== undefined && (typeUrl === undefined || typeUrl === '')) {
      throw badRequest(`type: expected CDS or a type URL, got ${JSON.stringify(type)}`, 'type');
    }
    const { members } = await this.#fleet.find();
    const answers =
      this.#answers.get(members) ?? new LRUCache<string, Promise<CohortsAnswer>>({ max: answersKept });
    this.#answers.set(members, answers);
    const filter = parseFleetFilter(q, this.#clock.now());
    const name = JSON.stringify([typeUrl, filter, limit]);
    const answer = answers.get(name) ?? takeSteps(answerInSteps(members, { typeUrl, q, filter, limit }));
    answers.set(name, answer);
    return answer;
  }
}

interface CohortsInput {
  readonly typeUrl: string | undefined;
  readonly q: string;
  readonly filter: FleetFilter;
  readonly limit: number;
}

function* answerInSteps(
  all: readonly FleetMember[],
  { typeUrl, q, filter, limit }: CohortsInput,
): Steps<CohortsAnswer> {
  const { members, gone, probes, files } = yield* chooseMembers(all, filter);
  const found: Cohorts = yield* buildCohorts(members, { typeUrl, most: limit });
  const alike = found.cohorts[0]?.members.length ?? 0;
  return {
    items: found.cohorts.slice(0, limit).map((each) => rowOf(each, typeUrl)),
    total: found.cohorts.length,
    clients: found.clients,
    alike,
    differ: found.clients - alike,
    separators: [...found.oddSeparators],
    without: found.without,
    gone,
    probes,
    files,
    types: found.types.map((each) => ({ ...each, service: formatResourceType(each.typeUrl) })),
    problems: filter.problems.map((problem) => formatFilterProblem(q, problem)),
  };
}

interface Chosen {
  readonly members: FleetMember[];
  readonly gone: number;
  readonly probes: number;
  readonly files: number;
}

/**
 * Compares the clients of the mesh: no probe of our own, and no file, which is of another time. A process that a tap reports
 * as a whole is left out if its scopes are members.
 */
function* chooseMembers(all: readonly FleetMember[], filter: FleetFilter): Steps<Chosen> {
  const members: FleetMember[] = [];
  const leftOut = { gone: 0, probes: 0, files: 0 };
  for (const [index, member] of all.entries()) {
    if (index % itemsPerStep === 0) yield;
    if (member.link?.kind === 'whole' || !matchesFleetFilter(member, filter)) continue;
    if (member.summary.isProbe) leftOut.probes += 1;
    else if (isImportedClient(member.summary)) leftOut.files += 1;
    else if (member.summary.freshness === 'gone') leftOut.gone += 1;
    else members.push(member);
  }
  return { members, ...leftOut };
}

function rowOf({ content, members, differsIn, separators }: Cohort, typeUrl: string | undefined): CohortRow {
  const compared = (members[0]?.summary.types ?? []).filter((type) =>
    typeUrl === undefined ? !isProcessDocument(type.typeUrl) : type.typeUrl === typeUrl,
  );
  return {
    content,
    clients: members.length,
    someClients: members
      .slice(0, clientsNamed)
      .map(({ summary: { id, nodeId, scope } }) => ({ id, nodeId, scope })),
    resources: compared.reduce((sum, { total }) => sum + total, 0),
    unreported: compared.reduce((sum, { unreported = 0 }) => sum + unreported, 0),
    differsIn: [...differsIn],
    separators: [...separators],
  };
}
