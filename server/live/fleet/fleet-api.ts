import { LRUCache } from 'lru-cache';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { formatFilterProblem } from '@/lib/filter/parse-filter';
import { fleetFields, isFleetField } from '@/lib/fleet/fleet-fields';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { ClientSummary } from '@/lib/views/client/schema';
import { buildFleetView, type FleetQuestion, type FleetView } from '@/lib/views/fleet/build-fleet-view';
import { describeFleet, type FleetDescription } from '@/lib/views/fleet/describe-fleet';
import { parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { FleetCounts } from '@/lib/views/fleet/fleet-tally';
import { type FleetLine, windowOfFleet } from '@/lib/views/fleet/fleet-window';
import type {
  FleetClient,
  FleetPage,
  FleetQuery,
  IssueOfClient,
  IssuesByClient,
} from '@/lib/views/fleet/schema';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';
import type { Clock } from '../../observe';
import { takeSteps } from '../../workers/threads/take-steps';
import type { LiveState } from '../live-state';
import type { FleetIndex } from './fleet-index';

/** A client of a list. Its summary is current. */
type ListedClient = Pick<FleetMember, 'summary' | 'content' | 'link'> & {
  readonly issues?: readonly IssueOfClient[] | undefined;
};

export interface FleetLines {
  readonly lines: readonly FleetLine<ListedClient>[];
  /** Lines on all pages. */
  readonly total: number;
  /** undefined if clients are not grouped. */
  readonly groups: number | undefined;
  readonly matched: FleetCounts;
  readonly totals: Omit<FleetDescription, 'made'>;
  readonly areIssuesKnown: boolean;
  /** The newest answer of any source. */
  readonly newestAt: EpochMs | undefined;
}

export type FleetWindowQuery = Pick<FleetQuery, 'open' | 'offset' | 'limit'>;

export interface FleetApiParts {
  readonly live: Pick<LiveState, 'world' | 'summaryOf'>;
  readonly fleet: FleetIndex;
  readonly clock: Pick<Clock, 'now'>;
  readonly freshnessOf: FreshnessOf;
  /** The heads that several processes share. Its `find` returns undefined if they cannot be read; absent: there are none. */
  readonly storedFleet?:
    | { find(question: FleetQuestion, window: FleetWindowQuery): Promise<FleetLines | undefined> }
    | undefined;
  /** Finds the issues of the clients that this process has folded. */
  readonly findIssues: () => Promise<IssuesByClient>;
}

const viewsKept = 16;
/** A view that is not requested any more would retain outdated clients. */
const keptForMs = 60_000;
const summariesPerStep = 8;
const newestReportMs = 1_000;

/** The value that was computed from these members, or is being computed. */
interface Derived<T> {
  readonly members: readonly FleetMember[];
  readonly made: Promise<T>;
}

/** Answers windows of the sorted, filtered and grouped list of clients. A window costs only its lines. */
export class FleetApi {
  readonly #parts: FleetApiParts;
  readonly #views = new LRUCache<string, Derived<FleetView>>({
    max: viewsKept,
    ttl: keptForMs,
    ttlAutopurge: true,
  });
  #description: Derived<FleetDescription> | undefined;
  #newest: { readonly at: EpochMs; readonly report: Promise<number | undefined> } | undefined;

  constructor(parts: FleetApiParts) {
    this.#parts = parts;
  }

  async find(query: FleetQuery): Promise<FleetPage> {
    const { group } = query;
    if (group !== undefined && !isFleetField(group)) {
      throw badRequest(
        `group: expected ${Object.keys(fleetFields).join(', ')} or meta.KEY, got ${JSON.stringify(group)}`,
        'group',
      );
    }
    const filter = parseFleetFilter(query.q, this.#parts.clock.now());
    const descending = query.sort.startsWith('-');
    const sort = { columnId: descending ? query.sort.slice(1) : query.sort, descending };
    const question = { filter, sort, group };
    const found =
      (await this.#parts.storedFleet?.find(question, query)) ?? (await this.#findFolded(question, query));
    const { lines, total, groups, matched, totals, areIssuesKnown, newestAt } = found;
    return {
      items: lines.map((line) =>
        line.kind === 'client'
          ? { kind: 'client', client: clientOf(line.member) }
          : { kind: 'group', value: line.group.value, counts: line.group.counts, isOpen: line.isOpen },
      ),
      offset: query.offset,
      lines: total,
      groups,
      total: totals.counts,
      matched,
      typeUrls: [...totals.typeUrls],
      metadataKeys: [...totals.metadataKeys],
      newestAt,
      problems: [
        ...filter.problems.map((problem) => formatFilterProblem(query.q, problem)),
        ...(areIssuesKnown ? [] : ['The issues of the clients are not known yet.']),
      ],
    };
  }

  /** As this process has folded the clients. */
  async #findFolded(question: FleetQuestion, query: FleetWindowQuery): Promise<FleetLines> {
    const { members } = await this.#parts.fleet.find();
    const view = await this.#view(members, question);
    const totals = await this.#describe(members);
    const { lines, total } = windowOfFleet(view, new Set(query.open), query);
    const issues = await this.#parts.findIssues();
    return {
      ...{ total, totals, areIssuesKnown: true, groups: view.groups?.length, matched: view.counts },
      newestAt: await this.#findNewestReport(),
      lines: lines.map((line) =>
        line.kind === 'client'
          ? {
              kind: 'client',
              member: { ...this.#renew(line.member), issues: issues.get(line.member.summary.id) },
            }
          : line,
      ),
    };
  }

  *summarise(members: readonly FleetMember[]): Steps<ClientSummary[]> {
    const { live } = this.#parts;
    const summaries: ClientSummary[] = [];
    for (const { summary } of members) {
      const client = live.world.get(summary.id);
      if (client !== undefined) summaries.push(live.summaryOf(client));
      if (summaries.length % summariesPerStep === 0) yield;
    }
    return summaries;
  }

  #view(members: readonly FleetMember[], question: FleetQuestion): Promise<FleetView> {
    const name = JSON.stringify(question);
    const known = this.#views.get(name);
    const view =
      known?.members === members ? known : { members, made: takeSteps(buildFleetView(members, question)) };
    this.#views.set(name, view);
    return view.made;
  }

  #describe(members: readonly FleetMember[]): Promise<FleetDescription> {
    const before = this.#description;
    if (before?.members === members) return before.made;
    // A failure of the former description is that of its own readers.
    const former = before?.made.catch(() => undefined);
    const made = (async () => takeSteps(describeFleet(members, await former)))();
    this.#description = { members, made };
    return made;
  }

  /** The summary is computed again, because the kept one has an older `lastSeenAt`. */
  #renew({ summary, content, link }: FleetMember): ListedClient {
    const client = this.#parts.live.world.get(summary.id);
    return { summary: client === undefined ? summary : this.#parts.live.summaryOf(client), content, link };
  }

  /** Returns the newest answer of any source, computed at most once a second, because every window needs it. */
  async #findNewestReport(): Promise<number | undefined> {
    const now = this.#parts.clock.now();
    if (this.#newest === undefined || now - this.#newest.at >= newestReportMs) {
      this.#newest = { at: now, report: takeSteps(this.#newestReport()) };
    }
    return this.#newest.report;
  }

  *#newestReport(): Steps<number | undefined> {
    const { live, freshnessOf } = this.#parts;
    let newest: number | undefined;
    let visited = 0;
    for (const { clientId, reports } of live.world.values()) {
      for (const report of reports.values()) {
        const { lastSeenAt } = freshnessOf(report, clientId);
        if (lastSeenAt !== undefined && (newest === undefined || lastSeenAt > newest)) newest = lastSeenAt;
      }
      visited += 1;
      if (visited % itemsPerStep === 0) yield;
    }
    return newest;
  }
}

function clientOf({ summary, content, link, issues }: ListedClient): FleetClient {
  return {
    ...summary,
    content,
    issues: issues && [...issues],
    scopesReported: link?.kind === 'whole' ? link.scopeIds.length : undefined,
    scopesOfProcess: link?.kind === 'scope' && link.scopeIds.length > 1 ? link.scopeIds.length : undefined,
  };
}
