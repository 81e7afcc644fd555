import type { PackedRequests } from '@/lib/observation/packed-requests';
import { CDS, compareTypeUrls, formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { TargetMemory } from '../../source-cost';
import { type CountedRequests, RequestWindows } from '../poll-diff/request-windows';
import {
  attemptsPath,
  readAttempts,
  readStatistics,
  readWarmingStates,
  type Sample,
  type Statistics,
  statisticsPath,
  warmingStatesPath,
} from './read-statistics';
import { type EarlierRejection, type RejectedSubscription, RejectionTracker } from './rejection-tracker';
import type { AdminOutcome, AdminRequest } from './request-admin';
import { type ServerConnection, ServerTracker } from './server-tracker';

/** The findings in statistics that the config dump does not contain. */
export interface StatisticsFindings {
  readonly rejected: readonly RejectedSubscription[];
  /** The warming clusters in the newest dump that Envoy has not started yet, by their names in statistics. */
  readonly idleClusters: readonly string[];
  /** The types of which the config dump still reports rejections that have ended. Absent: none. */
  readonly withdrawn?: readonly string[];
  /**
   * The time when the newest CDS response was accepted, by Envoy's clock. It is read only if there are idle clusters;
   * null: not reported.
   */
  readonly cdsAcceptedAt: EpochMs | null;
  /** Absent: not known, as of an Envoy without a management server. */
  readonly server?: ServerConnection | undefined;
}

const limits = { shownPath: '/stats', expected: "Envoy's statistics as text", maxBytes: 16 * 1024 * 1024 };
const namesShown = 3;

/** Requests the statistics of subscriptions. */
export class StatisticsRequests {
  readonly #request: (request: AdminRequest) => Promise<AdminOutcome>;
  readonly #clock: Clock;
  readonly #tracker: RejectionTracker;
  readonly #server = new ServerTracker();
  #problem: string | undefined;
  /** The memory that the newest statistics report; undefined if they were not read. */
  #memory: TargetMemory | undefined;
  readonly #windows = new RequestWindows();
  /** The requests of the last hour; undefined: statistics were not read. */
  requests: PackedRequests | undefined;
  /** See AdminNews. */
  managementClusters: readonly string[] = [];
  /** See AdminNews. */
  samples: readonly Sample[] = [];
  /** The newest. */
  #statistics: Statistics | undefined;
  /** undefined: statistics were not read. */
  #findings: StatisticsFindings | undefined;

  constructor(
    request: (request: AdminRequest) => Promise<AdminOutcome>,
    clock: Clock,
    earlier: readonly EarlierRejection[] = [],
  ) {
    this.#request = request;
    this.#clock = clock;
    this.#tracker = new RejectionTracker(earlier);
  }

  /**
   * States whether the newest CDS response was rejected; undefined: it was not. Only the clusters that warm in two dumps show
   * which one that was.
   */
  get cdsVerdict(): RejectedSubscription['verdict'] | undefined {
    return this.#tracker.rejected.find(({ typeUrl, name }) => typeUrl === CDS.typeUrl && name === '')
      ?.verdict;
  }

  get memory(): TargetMemory | undefined {
    return this.#memory;
  }

  get findings(): StatisticsFindings | undefined {
    return this.#findings;
  }

  /** A sentence that states which rejections are not visible in statistics; undefined if all are. */
  get notVisible(): string | undefined {
    if (this.#problem !== undefined) return `Rejections are not visible: ${this.#problem}`;
    if (this.#statistics === undefined || this.samples.length === 0) return undefined;
    const subscribed = new Set([...this.#statistics.subscriptions.values()].map(keyOf));
    const types = [...new Set(this.samples.map(({ typeUrl }) => typeUrl))].sort(compareTypeUrls);
    const hidden = types.filter((typeUrl) =>
      this.samples.every((sample) => sample.typeUrl !== typeUrl || !subscribed.has(keyOf(sample))),
    );
    if (hidden.length === 0) return undefined;
    return `Rejections of ${hidden.map(formatResourceType).join(', ')} are not visible: the stats_matcher of Envoy's bootstrap leaves out their statistics.`;
  }

  /** Sentences about what statistics show, or do not. */
  get notes(): readonly string[] {
    const { earlier } = this.#tracker;
    const shown = earlier.slice(0, namesShown).join(', ');
    const more = earlier.length - namesShown;
    const { notVisible } = this;
    return [
      ...(notVisible === undefined ? [] : [notVisible]),
      ...(this.#server.now?.state === 'TRANSIENT_FAILURE'
        ? [`Envoy does not reach its management server: ${this.#server.now.error}.`]
        : []),
      ...(earlier.length === 0
        ? []
        : [
            `Before the first poll, Envoy rejected and accepted responses of ${shown}${more > 0 ? ` and ${more} more` : ''}: which came last is not known.`,
          ]),
    ];
  }

  /**
   * `warmingClusters`: those of the newest dump, right before the next one. Absent: no dump follows, and what was found
   * about them stays. Returns the outcome of a request that failed; undefined if the statistics were read or are not
   * available.
   */
  async next(
    warmingClusters?: readonly string[],
  ): Promise<Exclude<AdminOutcome, { kind: 'answer' | 'rejected' }> | undefined> {
    const outcome = await this.#request({ path: statisticsPath, ...limits });
    if (outcome.kind === 'failed' || outcome.kind === 'aborted') return outcome;
    if (outcome.kind === 'rejected') {
      this.#problem = outcome.problem.message;
      return undefined;
    }
    this.#problem = undefined;
    const statistics = readStatistics(outcome.bytes.toString('latin1'));
    const isRestarted = hasRestarted(this.#statistics, statistics);
    this.#statistics = statistics;
    this.#memory = statistics.memory;
    const at = this.#clock.now();
    const { reachedLimits, standstill } = statistics;
    this.requests = {
      ...this.#windows.count(this.#requestsOf(statistics), at, isRestarted),
      ...(reachedLimits.size > 0 && { reachedLimits }),
      ...(standstill !== undefined && { standstill }),
    };
    const isRead = this.#tracker.read(statistics, at);
    const attempts = await this.#requestAttempts();
    if ('kind' in attempts) return attempts;
    const isTried = this.#tracker.readAttempts(attempts);
    const before = this.#findings;
    this.#server.read(statistics, at);
    const isChanged = isRead || isTried || this.#server.now !== before?.server;
    const idle =
      warmingClusters === undefined
        ? (before?.idleClusters ?? [])
        : await this.#findIdle(statistics, warmingClusters);
    if ('kind' in idle) return idle;
    if (!isChanged && before !== undefined && idle.join('\n') === before.idleClusters.join('\n'))
      return undefined;
    this.#findings = {
      rejected: this.#tracker.rejected,
      idleClusters: idle,
      withdrawn: this.#tracker.withdrawn,
      cdsAcceptedAt: idle.length === 0 ? null : statistics.cdsAcceptedAt,
      server: this.#server.now,
    };
    return undefined;
  }

  /** Empty for most Envoys, which have rejected nothing. */
  async #requestAttempts(): Promise<
    ReadonlyMap<string, number> | Exclude<AdminOutcome, { kind: 'answer' | 'rejected' }>
  > {
    const path = attemptsPath(this.#tracker.polled);
    if (path === '') return new Map();
    const outcome = await this.#request({ path, ...limits });
    if (outcome.kind === 'failed' || outcome.kind === 'aborted') return outcome;
    return outcome.kind === 'rejected' ? new Map() : readAttempts(outcome.bytes.toString('latin1'));
  }

  /** The streams to management servers are requests, too. */
  #requestsOf({ requests, sent, connections }: Statistics): CountedRequests[] {
    const own = new Set(this.managementClusters);
    return [
      ...[...requests].map(([name, counts]) => ({ id: name, name, counts, sent: sent.get(name) })),
      ...[...connections].map(([name, counts]) => ({
        ...{ id: `connections ${name}`, name, counts },
        isOverTcp: true as const,
      })),
    ].filter(({ name }) => !own.has(name));
  }

  /** A cluster that Envoy rejected after it was created stays among those that warm, and is never started. */
  async #findIdle(
    { subscriptions }: Statistics,
    warmingClusters: readonly string[],
  ): Promise<readonly string[] | Exclude<AdminOutcome, { kind: 'answer' | 'rejected' }>> {
    const isRejected = [...subscriptions.values()].some(
      ({ typeUrl, rejected }) => typeUrl === CDS.typeUrl && rejected > 0,
    );
    const path = isRejected ? warmingStatesPath(warmingClusters) : '';
    if (path === '') return [];
    const outcome = await this.#request({ path, ...limits });
    if (outcome.kind === 'failed' || outcome.kind === 'aborted') return outcome;
    if (outcome.kind === 'rejected') return [];
    const states = readWarmingStates(outcome.bytes.toString('latin1'));
    return warmingClusters.filter((cluster) => states.get(cluster) === 0);
  }
}

/** The uptime is that of the newest flush of statistics, and never falls while a process lasts. */
function hasRestarted(before: Statistics | undefined, now: Statistics): boolean {
  const known = before?.uptimeMs ?? null;
  return known !== null && now.uptimeMs !== null && now.uptimeMs < known;
}

function keyOf({ typeUrl, name }: Sample): string {
  return `${typeUrl} ${name}`;
}
