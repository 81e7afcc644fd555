import { by, byDescending, inTurn } from '@/lib/collections/compare';
import { formatIsoTime } from '@/lib/format/iso-time';
import { rankOfImpact } from '@/lib/issues/client-impact';
import { type AssessedClient, describeImpact, severities } from '@/lib/issues/describe-impact';
import { findIssueAt, type IssueAt } from '@/lib/issues/issue-at';
import type { IssueRecord } from '@/lib/issues/issue-record';
import { removeExplained } from '@/lib/issues/remove-explained';
import type { Connection } from '@/lib/observation/connection';
import type { Steps } from '@/lib/steps/steps';
import { buildFleetStrip } from '@/lib/views/issues/build-fleet-strip';
import { buildIssue } from '@/lib/views/issues/build-issue';
import { addErrors, findExplanation } from '@/lib/views/issues/explain-errors';
import type { FleetStrip, FleetStripQuery, Issue, IssuePage, IssuesQuery } from '@/lib/views/issues/schema';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest, notFound } from '../../api-error';
import { findUnavailable } from '../../issues/find-unavailable';
import type { IssueStore } from '../../issues/issue-store';
import type { MeasuredShare } from '../../issues/measured-share';
import type { Mutes } from '../../issues/mutes';
import type { LiveState } from '../../live/live-state';
import type { Clock } from '../../observe';
import type { Recorder } from '../../recorder/recorder';
import { takeSteps } from '../../threads/take-steps';
import { assertRange } from '../parse-input';
import type { CertificateChecks } from './certificate-checks';
import type { ConfigChecks } from './config-checks';
import type { ImpactAssessor } from './impact-assessor';
import type { OwnIssues } from './own-issues';

export interface IssuesApiParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly live: Pick<LiveState, 'world'>;
  readonly recorder: Pick<Recorder, 'stats'>;
  readonly issues: IssueStore;
  readonly mutes: Mutes;
  readonly assessor: Pick<ImpactAssessor, 'assess'>;
  readonly measured: Pick<MeasuredShare, 'find'>;
  readonly own: Pick<OwnIssues, 'find'>;
  readonly checks: Pick<ConfigChecks, 'find' | 'progress'>;
  readonly certificates: Pick<CertificateChecks, 'find' | 'records'>;
  /** Returns the time of a moment of the URL. */
  readonly timeOf: (moment: string) => Promise<EpochMs>;
}

/** Limits the clients of an issue whose effective config is assessed, and the assessments for one answer. */
const assessedPerIssue = 20;
const assessedPerAnswer = 400;
const clientsInList = 20;
const clientsInDetail = 1_000;
const recordsPerStep = 64;
const usualStripMs = 3_600_000;

interface Assessed {
  readonly found: IssueAt;
  readonly clients: readonly AssessedClient[];
}

export class IssuesApi {
  readonly #parts: IssuesApiParts;

  constructor(parts: IssuesApiParts) {
    this.#parts = parts;
  }

  async list(query: IssuesQuery, signal?: AbortSignal): Promise<IssuePage> {
    const { issues, mutes } = this.#parts;
    const at = await this.#timeOf(query.at);
    const [found, own] = await Promise.all([
      this.#find(query, at, signal),
      this.#parts.own.find(query, at, signal),
    ]);
    const wanted = found.filter(({ record, resolvedAt }) => this.#isWanted(record.id, resolvedAt, query, at));
    const assessed = await this.#assess(wanted, query.at, signal);
    const errors = explainErrors(assessed, own);
    const explained = new Set([...errors.values()].flatMap((some) => some.map(({ id }) => id)));
    const others = own.filter(({ id }) => !explained.has(id));
    const current = [
      ...found.filter(({ resolvedAt }) => resolvedAt === undefined).map(({ record }) => record.id),
      ...others.filter(({ resolvedAt }) => resolvedAt === undefined).map(({ id }) => id),
    ];
    const muted = current.filter((id) => mutes.find(id, at) !== undefined).length;
    const wantedOwn = others.filter(({ id, resolvedAt }) => this.#isWanted(id, resolvedAt, query, at));
    const candidates = rank(assessed).slice(0, query.limit);
    const built = await Promise.all(candidates.map((each) => this.#build(each, at, clientsInList, signal)));
    const measured = built.map((issue) => addErrors(issue, errors.get(issue.id) ?? []));
    const items = [...measured, ...wantedOwn].sort(compareIssues).slice(0, query.limit);
    return {
      items,
      total: wanted.length + wantedOwn.length,
      counts: { open: current.length - muted, muted },
      at,
      restoring: issues.isRestoring,
      since: this.#knownSince(),
      checks: this.#parts.checks.progress,
    };
  }

  async find(issueId: string, at: string | undefined, signal?: AbortSignal): Promise<Issue> {
    const time = await this.#timeOf(at);
    const found = await this.#findOne(issueId, at, time, signal);
    const own = await this.#parts.own.find({ at }, time, signal);
    if (found === undefined) {
      const issue = own.find(({ id }) => id === issueId);
      if (issue === undefined) throw missingIssue(issueId);
      return issue;
    }
    const [assessed] = await this.#assess([found], at, signal);
    if (assessed === undefined) throw missingIssue(issueId);
    const issue = await this.#build(assessed, time, clientsInDetail, signal);
    return addErrors(issue, explainErrors([assessed], own).get(issueId) ?? []);
  }

  async #findChecked(
    moment: string | undefined,
    at: EpochMs,
    signal?: AbortSignal,
  ): Promise<readonly IssueAt[]> {
    const { checks, certificates } = this.#parts;
    try {
      const found = await Promise.all([
        checks.find(moment, at, signal),
        certificates.find(moment, at, signal),
      ]);
      return found.flat();
    } catch (error) {
      if (findUnavailable(error) === undefined) throw error;
      return [];
    }
  }

  async strip({ from, to }: FleetStripQuery): Promise<FleetStrip> {
    const { clock, issues, live, recorder } = this.#parts;
    const end = to ?? clock.now();
    const requested = from ?? end - usualStripMs;
    assertRange(requested, end, 'a time before to');
    // The axis spans what is recorded.
    const begin = Math.max(requested, Math.min(recorder.stats().oldestAt ?? requested, end - 1));
    return takeSteps(
      buildFleetStrip({
        records: [...issues.index.records.values(), ...(await this.#certificateRecords(end))],
        ...{ from: begin, to: end, clients: live.world.size },
        nodeIdOf: (clientId) => this.#nodeIdOf(clientId),
      }),
    );
  }

  async #certificateRecords(at: EpochMs): Promise<Awaited<ReturnType<CertificateChecks['records']>>> {
    try {
      return await this.#parts.certificates.records(at);
    } catch (error) {
      if (findUnavailable(error) === undefined) throw error;
      return [];
    }
  }

  async mute(issueId: string, until: EpochMs | null): Promise<Issue> {
    const { issues, mutes, clock } = this.#parts;
    const now = clock.now();
    if (until !== null && until <= now) {
      throw badRequest(`until: expected a time in the future, got ${formatIsoTime(until)}`, 'until');
    }
    // Throws if there is no such issue.
    if (!issues.index.records.has(issueId)) await this.find(issueId, undefined);
    mutes.set(issueId, until, now);
    issues.changed();
    return this.find(issueId, undefined);
  }

  async #findOne(
    issueId: string,
    moment: string | undefined,
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<IssueAt | undefined> {
    const record = this.#parts.issues.index.records.get(issueId);
    if (record !== undefined) return findIssueAt(record, at);
    return (await this.#findChecked(moment, at, signal)).find((each) => each.record.id === issueId);
  }

  async #timeOf(at: string | undefined): Promise<EpochMs> {
    return at === undefined ? this.#parts.clock.now() : this.#parts.timeOf(at);
  }

  async #find(
    { client, at: moment }: IssuesQuery,
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<IssueAt[]> {
    const { issues } = this.#parts;
    const reported = await takeSteps(findAll(issues.index.records.values(), at));
    const found = removeExplained([...reported, ...(await this.#findChecked(moment, at, signal))]);
    if (client === undefined) return found;
    return found.filter(({ periods }) => periods.some(({ clientId }) => clientId === client));
  }

  #isWanted(
    id: string,
    resolvedAt: EpochMs | undefined,
    { state, from, to }: IssuesQuery,
    at: EpochMs,
  ): boolean {
    if (state === 'resolved') {
      return resolvedAt !== undefined && resolvedAt >= (from ?? 0) && resolvedAt <= (to ?? at);
    }
    if (resolvedAt !== undefined) return false;
    if (state === 'current') return true;
    return (this.#parts.mutes.find(id, at) !== undefined) === (state === 'muted');
  }

  /** The oldest clients of each issue are assessed. */
  async #assess(
    found: readonly IssueAt[],
    at: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Assessed[]> {
    const perIssue = Math.min(
      assessedPerIssue,
      Math.max(1, Math.floor(assessedPerAnswer / Math.max(1, found.length))),
    );
    const answers: Assessed[] = [];
    for (const each of found) {
      const { record, periods, resolvedAt } = each;
      const chosen = periods.slice(0, answers.length < assessedPerAnswer ? perIssue : 0);
      const clients = await Promise.all(
        chosen.map((period) => {
          // The impact of a resolved issue is assessed at its onset.
          const moment = resolvedAt === undefined || period.fromSeq === null ? at : `seq:${period.fromSeq}`;
          return this.#parts.assessor
            .assess(record.id, record.cause, period, moment, signal)
            .catch((error: unknown) => this.#unassessed(period.clientId, error));
        }),
      );
      answers.push({ found: each, clients: clients.filter((client) => client !== undefined) });
    }
    return answers;
  }

  /** The recording cannot be read, as if its directory is gone: the issue itself is still known. */
  #unassessed(clientId: string, error: unknown): AssessedClient {
    const cause = findUnavailable(error);
    if (cause === undefined) throw error;
    const reason = `the effective config could not be read: ${cause}`;
    return {
      nodeId: this.#nodeIdOf(clientId),
      isEnvoy: false,
      impact: { level: 'unknown', listener: null, cluster: null, reason },
    };
  }

  #nodeIdOf(clientId: string): string {
    return this.#parts.live.world.get(clientId)?.node.id ?? clientId;
  }

  #otherChannelsOf(clientId: string): readonly Connection[] {
    const reports = [...(this.#parts.live.world.get(clientId)?.reports.values() ?? [])];
    const current = reports.filter(({ goneAt }) => goneAt === null);
    return current.flatMap(({ connections = [] }) =>
      connections.filter(({ kind, target }) => kind === 'channel' && !/^xds:/i.test(target)),
    );
  }

  #isProbe(clientId: string): boolean {
    const reports = this.#parts.live.world.get(clientId)?.reports.values() ?? [];
    return [...reports].some(({ vantage }) => vantage === 'probe');
  }

  async #requestsOf(found: IssueAt, signal: AbortSignal | undefined): Promise<Issue['requests']> {
    try {
      return await this.#parts.measured.find(found, signal);
    } catch (error) {
      if (findUnavailable(error) === undefined) throw error;
      return undefined;
    }
  }

  async #build(
    { found, clients }: Assessed,
    at: EpochMs,
    clientsListed: number,
    signal: AbortSignal | undefined,
  ): Promise<Issue> {
    const worst = worstOf(clients);
    return buildIssue({
      found,
      impact: describeImpact(clients, found.periods.length),
      assessed: clients.length,
      listener: worst?.impact.listener ?? null,
      mutedUntil: this.#parts.mutes.find(found.record.id, at),
      requests: await this.#requestsOf(found, signal),
      otherChannelsOf: (clientId) => this.#otherChannelsOf(clientId),
      nodeIdOf: (clientId) => this.#nodeIdOf(clientId),
      isProbe: (clientId) => this.#isProbe(clientId),
      clientsListed,
    });
  }

  #knownSince(): EpochMs | undefined {
    const { since, index } = this.#parts.issues;
    const times = [since, index.completeSince].filter((time) => time !== null);
    return times.length === 0 ? undefined : Math.max(...times);
  }
}

function* findAll(records: Iterable<IssueRecord>, at: EpochMs): Steps<IssueAt[]> {
  const found: IssueAt[] = [];
  let visited = 0;
  for (const record of records) {
    visited += 1;
    if (visited % recordsPerStep === 0) yield;
    const each = findIssueAt(record, at);
    if (each !== undefined) found.push(each);
  }
  return found;
}

/** The failed requests that each issue explains, by its id. */
function explainErrors(
  assessed: readonly Assessed[],
  own: readonly Issue[],
): ReadonlyMap<string, readonly Issue[]> {
  const all = assessed.map(({ found, clients }) => ({
    found,
    level: describeImpact(clients, found.periods.length).level,
  }));
  const explained = new Map<string, Issue[]>();
  for (const issue of own) {
    const id = findExplanation(issue, all);
    if (id !== undefined) explained.set(id, [...(explained.get(id) ?? []), issue]);
  }
  return explained;
}

function rank(assessed: readonly Assessed[]): Assessed[] {
  const ranked = assessed.map((each) => {
    const { severity, level } = describeImpact(each.clients, each.found.periods.length);
    return { each, severity: severities.indexOf(severity), level: rankOfImpact(level) };
  });
  ranked.sort(
    inTurn(
      by(({ severity }) => severity),
      by(({ level }) => level),
      byDescending((each) => each.each.found.periods.length),
      by((each) => each.each.found.since),
      by((each) => each.each.found.record.id),
    ),
  );
  return ranked.map(({ each }) => each);
}

/** Sources that do not answer come after what is wrong with clients, whatever its severity. */
function compareIssues(a: Issue, b: Issue): number {
  return (
    Number(a.kind === 'source-down') - Number(b.kind === 'source-down') ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    rankOfImpact(a.impact.level) - rankOfImpact(b.impact.level) ||
    b.clients.total - a.clients.total ||
    (a.since ?? 0) - (b.since ?? 0) ||
    (a.id < b.id ? -1 : 1)
  );
}

function worstOf(clients: readonly AssessedClient[]): AssessedClient | undefined {
  return [...clients].sort(by((each) => rankOfImpact(each.impact.level)))[0];
}

function missingIssue(issueId: string): Error {
  return notFound('Issue', `no issue has the id ${JSON.stringify(issueId)}`);
}
