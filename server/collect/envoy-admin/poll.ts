import { Agent } from 'node:http';
import { formatDuration } from '@/lib/format/duration';
import { messageOf } from '@/lib/format/message-of';
import type { Problem } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CodecError } from '../../codec/codec-error';
import type { SlowedRequest } from '../../source-cost';
import type { RunningCall } from '../../transport/http-client/http-call';
import { parseSocketTarget } from '../../transport/targets/socket-target';
import { type IsCurrent, Poller, type PollerKind, type PollerOptions } from '../poll-diff/poller';
import { type AdminDocument, documentFacts } from './admin-document';
import type { AdminReader, EnvoyAnswers } from './admin-reader';
import { AdminSchedule } from './admin-schedule';
import type { AdminAnswer, AdminNews } from './read';
import type { EarlierRejection } from './rejection-tracker';
import { type AdminOutcome, type AdminRequest, requestAdmin } from './request-admin';
import type { HostsRead } from './serve-envoy-admin';
import { type StatisticsFindings, StatisticsRequests } from './statistics-requests';

/** `intervalMs`: between two config dumps; the other documents follow in proportion. */
export interface EnvoyAdminPollerOptions extends PollerOptions {
  readonly maxBytes?: number;
  readonly answers: AdminReader;
  /** The rejections that an earlier process of xdscope saw. */
  readonly earlier?: {
    readonly rejections: readonly EarlierRejection[];
    readonly secrets: ReadonlyMap<string, ResourceState>;
  };
}

const kind: PollerKind = {
  vantage: 'envoy-admin',
  intervalMs: documentFacts.config_dump.intervalMs,
  ...{ deadlineMs: 30_000, maxBackoffMs: 60_000 },
  parseTarget: parseSocketTarget,
};

/** A connection to a port without a listener costs next to nothing, so that an Envoy that is back is noticed soon. */
const noListenerPauseMs = 1_500;
const tooLargePauseMs = 600_000;
const tooLargeHint = `It is requested again after ${formatDuration(tooLargePauseMs)}, because each attempt costs Envoy time and memory for the whole dump.`;

/** Envoy does not answer, or its answer is not a config dump. */
class AdminFailure extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** The results of one round of requests. */
interface Round {
  readonly answers: AdminAnswer[];
  readonly absent: AdminDocument[];
  /** Bytes of the newest answer, by document. */
  readonly hashes: Map<AdminDocument, string>;
  readonly startedAt: number;
  readonly hasDump: boolean;
}

/**
 * Polls the admin interface of one Envoy: one request at a time, each document at its own interval. Emits one client
 * and its changes. The first report is emitted when every document was requested once.
 */
export class EnvoyAdminPoller extends Poller {
  readonly #options: EnvoyAdminPollerOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #schedule: AdminSchedule;
  readonly #answers: EnvoyAnswers;
  readonly #statistics: StatisticsRequests;
  /** See AdminNews. */
  #warmingClusters: readonly string[] = [];
  #cdsVerdict: StatisticsRequests['cdsVerdict'];
  /** The number of config dumps that are to follow without the usual pause. */
  #hastenedDumps = 0;
  /** The newest findings that were reported. */
  #findings: StatisticsFindings | undefined;
  /** SHA-256 of the newest answers: an answer with the same digest is not read. */
  #hashes = new Map<AdminDocument, string>();
  /** The reason why each document has no rows, or outdated ones. */
  readonly #documentProblems = new Map<AdminDocument, string>();
  #readNotes: readonly string[] = [];
  /** See HostNews. */
  #hasTraffic = false;
  /** The milliseconds that it took to read the previous answer of hosts. */
  #previousReadMs = 0;
  /** The next round requests every document, and is reported as a complete state. */
  #isWholeNext = true;
  /**
   * The time when the newest dump that was answered was requested. Other documents do not show whether the config
   * changed.
   */
  #dumpedAt: number | undefined;
  #call: RunningCall | undefined;

  constructor(options: EnvoyAdminPollerOptions) {
    super(options, kind);
    this.#options = options;
    this.#schedule = new AdminSchedule(options.intervalMs);
    this.#answers = options.answers.open();
    this.#statistics = new StatisticsRequests(
      (request) => this.#send(request),
      options.clock,
      options.earlier?.rejections,
    );
  }

  protected override cancel(): void {
    this.#call?.abort();
  }

  protected override release(): void {
    this.#agent.destroy();
    this.#answers.close();
  }

  protected override begin(): void {
    this.#pollAnew();
  }

  protected override failed(): void {
    this.#hashes.clear();
    this.#documentProblems.clear();
    this.#pollAnew();
  }

  protected override onceReachable(
    delayMs: number,
    _startedAt: number,
    pollAfter: (waitMs: number) => void,
  ): void {
    const hasNoListener = this.polled.now.problem?.code === 'CONNECTION_REFUSED';
    if (hasNoListener && delayMs > noListenerPauseMs) pollAfter(noListenerPauseMs);
  }

  protected override slowed(): readonly SlowedRequest[] {
    return this.#schedule.slowed;
  }

  /** A dump above the limit costs Envoy as much each time. */
  protected override retryAfterMs({ code }: Problem): number {
    return code === 'TOO_LARGE' ? tooLargePauseMs : 0;
  }

  #pollAnew(): void {
    this.#isWholeNext = true;
    this.#schedule.reset();
  }

  protected override async poll(isCurrent: IsCurrent): Promise<number> {
    const { clock } = this.#options;
    await this.#pollAndEmit(isCurrent, clock.now());
    if (this.#hastenedDumps > 0) this.#schedule.hasten('config_dump', clock.now());
    return this.#schedule.waitMs(clock.now());
  }

  async #pollAndEmit(isCurrent: IsCurrent, startedAt: number): Promise<void> {
    const isWhole = this.#isWholeNext;
    const due = this.#schedule.dueNow(startedAt);
    const hasDump = due.includes('config_dump');
    const round: Round = { answers: [], absent: [], hashes: new Map(), startedAt, hasDump };
    if (hasDump) this.#hastenedDumps = Math.max(0, this.#hastenedDumps - 1);
    for (const document of due) {
      if (document !== 'stats') await this.#request(document, isCurrent, isWhole, round);
      else if (!hasDump) await this.#requestStatistics();
      if (!isCurrent()) return;
    }
    const { answers, absent } = round;
    const { findings } = this.#statistics;
    if (!isWhole && answers.length === 0 && absent.length === 0 && findings === this.#findings) {
      this.#succeed(round, this.#namedClients());
      return;
    }
    const { sourceId, clock, earlier } = this.#options;
    const previousAt = this.#dumpedAt;
    const read = await this.#answers.read({
      ...{ answers, absent, isWhole, sourceId, target: this.target.text, at: clock.now() },
      ...(previousAt !== undefined && { previousAt }),
      ...(findings && { statistics: findings }),
      ...(earlier && { rejectedSecrets: earlier.secrets }),
      hasNewStatistics: findings !== this.#findings,
    });
    if (!isCurrent()) return;
    if (read === 'incomplete') {
      if (isWhole) throw new CodecError('expected a config dump, got none');
      this.#pollAnew();
      return;
    }
    read.accept();
    const { news, hosts } = read;
    for (const [document, hash] of round.hashes) this.#hashes.set(document, hash);
    if (hosts !== undefined) {
      this.#hasTraffic = hosts.hasTraffic;
      const readMs = Math.min(hosts.tookMs, this.#previousReadMs);
      this.#previousReadMs = hosts.tookMs;
      this.#schedule.notBefore('clusters', this.#options.answers.reserveHosts(readMs, clock.now()));
    }
    if (news === undefined) {
      this.#succeed(round, this.#namedClients(), hosts);
      for (const emission of hosts?.emissions ?? []) this.#options.observe(emission);
      return;
    }
    this.#isWholeNext = false;
    this.#findings = findings;
    this.#warmingClusters = news.warmingClusters;
    this.#statistics.samples = news.samples;
    this.#statistics.managementClusters = news.managementClusters;
    // The endpoints are read again, also from an equal dump.
    if (news.isHealthNewer) this.#hashes.delete('config_dump');
    this.#emit(news, hosts, round);
  }

  #send(request: AdminRequest): Promise<AdminOutcome> {
    const { clock, maxBytes } = this.#options;
    const target = this.target,
      agent = this.#agent,
      deadlineMs = this.deadlineMs;
    return this.meter.measure(
      () =>
        requestAdmin(request, { target, agent, clock, deadlineMs, maxBytes }, (call) => {
          this.#call = call;
        }),
      bytesOf,
    );
  }

  async #request(
    document: AdminDocument,
    isCurrent: IsCurrent,
    isWhole: boolean,
    round: Round,
  ): Promise<void> {
    const { clock, random } = this.#options;
    const askedAt = clock.now();
    const outcome =
      document === 'config_dump' ? await this.#requestConfig() : await this.#send(documentFacts[document]);
    if (!isCurrent() || outcome.kind === 'aborted') return;
    const tookMs = clock.now() - askedAt;
    this.#schedule.requested(document, { at: askedAt, tookMs, spread: 0.9 + 0.2 * random() });
    if (outcome.kind === 'failed') throw new AdminFailure(outcome.problem);
    if (outcome.kind === 'rejected') {
      this.#onRejected(document, outcome, round);
      return;
    }
    this.#documentProblems.delete(document);
    const { bytes, hash } = outcome;
    if (document === 'config_dump') this.polled.update({ latencyMs: tookMs, answerBytes: bytes.length });
    const isCounting = document === 'clusters' && this.#hasTraffic;
    if (!isWhole && !isCounting && this.#hashes.get(document) === hash) return;
    round.answers.push({ document, bytes });
    round.hashes.set(document, hash);
  }

  /** Statistics come first: a cluster that no longer warms when the dump is made is not taken for a rejected one. */
  async #requestConfig(): Promise<AdminOutcome> {
    const failure = await this.#statistics.next(this.#warmingClusters);
    this.#noteCdsVerdict();
    this.#statisticsRequested(this.#options.clock.now(), 0);
    return failure ?? this.#send(documentFacts.config_dump);
  }

  async #requestStatistics(): Promise<void> {
    const { clock } = this.#options;
    const askedAt = clock.now();
    const failure = await this.#statistics.next();
    this.#noteCdsVerdict();
    this.#statisticsRequested(askedAt, clock.now() - askedAt);
    if (failure?.kind === 'failed') throw new AdminFailure(failure.problem);
  }

  /** A cluster that warms in two dumps, and was not started in between, is the rejected one. */
  #noteCdsVerdict(): void {
    const { cdsVerdict } = this.#statistics;
    if (cdsVerdict !== this.#cdsVerdict) this.#hastenedDumps = 2;
    this.#cdsVerdict = cdsVerdict;
  }

  #statisticsRequested(at: number, tookMs: number): void {
    this.#schedule.requested('stats', { at, tookMs, spread: 0.9 + 0.2 * this.#options.random() });
  }

  #onRejected(
    document: AdminDocument,
    { isAbsent, problem }: Extract<AdminOutcome, { kind: 'rejected' }>,
    round: Round,
  ): void {
    if (document === 'config_dump') {
      throw new AdminFailure(problem.code === 'TOO_LARGE' ? { ...problem, hint: tooLargeHint } : problem);
    }
    const isKnown = this.#documentProblems.has(document);
    const reason = isAbsent
      ? `This Envoy has no ${nameOf(document)} (404): older versions lack it.`
      : problem.message;
    this.#documentProblems.set(document, reason);
    if (isAbsent && !isKnown) round.absent.push(document);
  }

  #emit(
    { emissions, clientIds, rejected, ...read }: AdminNews,
    hosts: HostsRead | undefined,
    round: Round,
  ): void {
    for (const { document, reason } of rejected) {
      this.#documentProblems.set(document, `${nameOf(document)}: ${reason}`);
      this.#hashes.delete(document);
    }
    this.#readNotes = [
      ...(read.hasNodeId ? [] : ['This Envoy reports no node id: it is called by its address.']),
      ...describeProblems(read),
    ];
    this.#succeed(round, clientIds, hosts, emissions.length > 0);
    for (const emission of [...emissions, ...(hosts?.emissions ?? [])]) this.#options.observe(emission);
  }

  #succeed(
    { startedAt, hasDump }: Round,
    clientIds: readonly string[],
    hosts?: HostsRead,
    hasNewRows = false,
  ): void {
    if (hasDump) this.#dumpedAt = startedAt;
    const notes = [...this.#readNotes, ...this.#documentProblems.values(), ...this.#statistics.notes];
    const { memory: targetMemory, requests } = this.#statistics;
    this.polled.succeed({
      askedAt: startedAt,
      clientIds,
      hasNews: hasNewRows || (hosts?.emissions ?? []).length > 0,
      ...(hosts && { figures: hosts.figures }),
      requests,
      notes,
      targetMemory,
      notVisible: this.#statistics.notVisible,
    });
  }

  #namedClients(): string[] {
    return [...this.#answers.known.keys()];
  }

  protected override explain(error: unknown): Problem {
    if (error instanceof AdminFailure) return error.problem;
    const message = `${this.target.text}: GET ${documentFacts.config_dump.path}: ${messageOf(error)}`;
    return { code: 'BAD_ANSWER', message, hint: "Is this Envoy's admin interface?" };
  }
}

function bytesOf(outcome: AdminOutcome): number {
  if (outcome.kind === 'answer') return outcome.bytes.length;
  return outcome.kind === 'rejected' ? outcome.receivedBytes : 0;
}

function nameOf(document: AdminDocument): string {
  return documentFacts[document].path.replace(/\?.*$/, '');
}

/** Counts of the parts that cannot be shown, without text of the answers. */
function describeProblems({
  problems,
  problemCount,
}: Pick<AdminNews, 'problems' | 'problemCount'>): string[] {
  const more = problemCount - problems.length;
  return [
    ...problems.map(({ document, problem: { place, reason } }) => `${nameOf(document)}: ${place}: ${reason}`),
    ...(more > 0 ? [`${more} more parts of the answers could not be read.`] : []),
  ];
}
