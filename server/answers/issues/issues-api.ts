import type { FleetStrip, FleetStripQuery, Issue, IssuePage, IssuesQuery } from '@/lib/api/issues';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { type AssessedClient, describeImpact, severities } from '@/lib/issues/describe-impact';
import { rankOfImpact } from '@/lib/issues/impact';
import { findIssueAt, type IssueAt } from '@/lib/issues/issue-at';
import { withoutImplied } from '@/lib/issues/without-implied';
import type { Steps } from '@/lib/steps/steps';
import { buildFleetStrip } from '@/lib/view-model/issues/build-fleet-strip';
import { buildIssue } from '@/lib/view-model/issues/build-issue';
import { buildOwnIssues } from '@/lib/view-model/issues/build-own-issues';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError, badRequest, notFound } from '../../api-error';
import { type IssueStore, issueIdOf } from '../../issues/issue-store';
import type { MeasuredShare } from '../../issues/measured-share';
import type { Mutes } from '../../issues/mutes';
import type { LiveState } from '../../live/live-state';
import type { Clock } from '../../observe';
import type { VariantsApi } from '../../propagation/variants-api';
import type { Recorder } from '../../recorder/recorder';
import { RecorderError } from '../../recorder/recorder-error';
import type { SourceRegistry } from '../../sources/source-registry';
import { takeSteps } from '../../threads/take-steps';
import type { ImpactAssessor } from './impact-assessor';

export interface IssuesApiParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly live: Pick<LiveState, 'world' | 'clientCountOf'>;
  readonly recorder: Pick<Recorder, 'stats'>;
  readonly registry: Pick<SourceRegistry, 'find'>;
  readonly variants: Pick<VariantsApi, 'list'>;
  readonly issues: IssueStore;
  readonly mutes: Mutes;
  readonly assessor: Pick<ImpactAssessor, 'assess'>;
  readonly measured: Pick<MeasuredShare, 'find'>;
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
  constructor(private readonly parts: IssuesApiParts) {}

  async list(query: IssuesQuery, signal?: AbortSignal): Promise<IssuePage> {
    const { issues, mutes } = this.parts;
    const at = await this.#timeOf(query.at);
    const [found, own] = await Promise.all([this.#find(query, at), this.#findOwn(query, at)]);
    const current = [
      ...found.filter(({ resolvedAt }) => resolvedAt === null).map(({ record }) => record.id),
      ...own.filter(({ resolvedAt }) => resolvedAt === null).map(({ id }) => id),
    ];
    const muted = current.filter((id) => mutes.find(id, at) !== null).length;
    const wanted = found.filter(({ record, resolvedAt }) => this.#isWanted(record.id, resolvedAt, query, at));
    const wantedOwn = own.filter(({ id, resolvedAt }) =>
      this.#isWanted(id, resolvedAt === null ? null : Date.parse(resolvedAt), query, at),
    );
    const assessed = await this.#assess(wanted, query.at, signal);
    const candidates = rank(assessed).slice(0, query.limit);
    const built = await Promise.all(candidates.map((each) => this.#build(each, at, clientsInList, signal)));
    const items = [...built, ...wantedOwn].sort(compareIssues).slice(0, query.limit);
    return {
      items,
      total: wanted.length + wantedOwn.length,
      counts: { open: current.length - muted, muted },
      at: formatIsoTime(at),
      restoring: issues.isRestoring,
      since: formatIsoTimeOrNull(this.#knownSince()),
    };
  }

  async find(issueId: string, at: string | undefined, signal?: AbortSignal): Promise<Issue> {
    const time = await this.#timeOf(at);
    const record = this.parts.issues.index.records.get(issueId);
    const found = record && findIssueAt(record, time);
    if (found === undefined) {
      const own = (await this.#findOwn({}, time)).find(({ id }) => id === issueId);
      if (own === undefined) throw missingIssue(issueId);
      return own;
    }
    const [assessed] = await this.#assess([found], at, signal);
    if (assessed === undefined) throw missingIssue(issueId);
    return this.#build(assessed, time, clientsInDetail, signal);
  }

  async strip({ from, to }: FleetStripQuery): Promise<FleetStrip> {
    const { clock, issues, live, recorder } = this.parts;
    const end = to ?? clock.now();
    const requested = from ?? end - usualStripMs;
    if (requested >= end) throw badRequest('from: expected a time before to', 'from');
    // The axis spans what is recorded.
    const begin = Math.max(requested, Math.min(recorder.stats().oldestAt ?? requested, end - 1));
    return takeSteps(
      buildFleetStrip({
        ...{ records: issues.index.records.values(), from: begin, to: end, clients: live.world.size },
        nodeIdOf: (clientId) => this.#nodeIdOf(clientId),
      }),
    );
  }

  async mute(issueId: string, until: EpochMs | null): Promise<Issue> {
    const { issues, mutes, clock } = this.parts;
    const now = clock.now();
    const isKnown = issues.index.records.has(issueId);
    if (!isKnown && !(await this.#findOwn({}, now)).some(({ id }) => id === issueId)) {
      throw missingIssue(issueId);
    }
    if (until !== null && until <= now) {
      throw badRequest(`until: expected a time in the future, got ${formatIsoTime(until)}`, 'until');
    }
    mutes.set(issueId, until, now);
    issues.changed();
    return this.find(issueId, undefined);
  }

  async #timeOf(at: string | undefined): Promise<EpochMs> {
    return at === undefined ? this.parts.clock.now() : this.parts.timeOf(at);
  }

  async #find({ client }: IssuesQuery, at: EpochMs): Promise<IssueAt[]> {
    const { index } = this.parts.issues;
    const found = await takeSteps(findAll(index.records.values(), at));
    if (client === undefined) return found;
    return found.filter(({ periods }) => periods.some(({ clientId }) => clientId === client));
  }

  /** Issues of sources, servers and the recorder. What the recorder lacks now says nothing about a past moment. */
  async #findOwn({ at: moment, client }: Partial<IssuesQuery>, at: EpochMs): Promise<Issue[]> {
    const { issues, live, registry, variants, recorder, mutes } = this.parts;
    if (client !== undefined) return [];
    const { state, reason } = recorder.stats();
    const outages = issues.outages.listAt(at).flatMap((outage) => {
      const source = registry.find(outage.sourceId);
      if (source === undefined) return [];
      const clients = live.clientCountOf(outage.sourceId);
      return [{ ...outage, label: source.label, sourceKind: source.kind, clients }];
    });
    const own = buildOwnIssues({
      outages,
      divergences: await variants.list(moment === undefined ? {} : { at: moment }),
      recorderStopped: moment === undefined && state === 'stopped' ? reason : undefined,
      idOf: issueIdOf,
    });
    return own.map((issue) => {
      const mutedUntil = mutes.find(issue.id, at);
      const isMuted = issue.state === 'open' && mutedUntil !== null;
      return {
        ...issue,
        mutedUntil: formatIsoTimeOrNull(mutedUntil),
        ...(isMuted && { state: 'muted' as const }),
      };
    });
  }

  #isWanted(id: string, resolvedAt: EpochMs | null, { state, from, to }: IssuesQuery, at: EpochMs): boolean {
    if (state === 'resolved') {
      return resolvedAt !== null && resolvedAt >= (from ?? 0) && resolvedAt <= (to ?? at);
    }
    if (resolvedAt !== null) return false;
    if (state === 'current') return true;
    return (this.parts.mutes.find(id, at) !== null) === (state === 'muted');
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
          // What a resolved issue did is assessed at its onset.
          const moment = resolvedAt === null ? at : `seq:${period.fromSeq}`;
          return this.parts.assessor
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
    const reason = `the effective config could not be read: ${unavailable(error)}`;
    return {
      nodeId: this.#nodeIdOf(clientId),
      isEnvoy: false,
      impact: { level: 'unknown', listener: null, cluster: null, reason },
    };
  }

  #nodeIdOf(clientId: string): string {
    return this.parts.live.world.get(clientId)?.node.id ?? clientId;
  }

  async #requestsOf(found: IssueAt, signal: AbortSignal | undefined): Promise<Issue['requests']> {
    try {
      return await this.parts.measured.find(found, signal);
    } catch (error) {
      unavailable(error);
      return null;
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
      mutedUntil: this.parts.mutes.find(found.record.id, at),
      requests: await this.#requestsOf(found, signal),
      nodeIdOf: (clientId) => this.#nodeIdOf(clientId),
      clientsListed,
    });
  }

  #knownSince(): EpochMs | null {
    const { since, index } = this.parts.issues;
    const times = [since, index.completeSince].filter((time) => time !== null);
    return times.length === 0 ? null : Math.max(...times);
  }
}

/** Returns why the recording cannot be read; throws any other error. */
function unavailable(error: unknown): string {
  if (error instanceof RecorderError) return error.message;
  if (error instanceof ApiError && error.status === 503) return error.detail;
  throw error;
}

function* findAll(records: Iterable<IssueAt['record']>, at: EpochMs): Steps<IssueAt[]> {
  const found: IssueAt[] = [];
  let visited = 0;
  for (const record of records) {
    visited += 1;
    if (visited % recordsPerStep === 0) yield;
    const each = findIssueAt(record, at);
    if (each !== undefined) found.push(each);
  }
  return withoutImplied(found);
}

function rank(assessed: readonly Assessed[]): Assessed[] {
  const ranked = assessed.map((each) => {
    const { severity, level } = describeImpact(each.clients, each.found.periods.length);
    return { each, severity: severities.indexOf(severity), level: rankOfImpact(level) };
  });
  ranked.sort(
    (a, b) =>
      a.severity - b.severity ||
      a.level - b.level ||
      b.each.found.periods.length - a.each.found.periods.length ||
      a.each.found.since - b.each.found.since ||
      (a.each.found.record.id < b.each.found.record.id ? -1 : 1),
  );
  return ranked.map(({ each }) => each);
}

function compareIssues(a: Issue, b: Issue): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    rankOfImpact(a.impact.level) - rankOfImpact(b.impact.level) ||
    b.clients.total - a.clients.total ||
    (a.since ?? '').localeCompare(b.since ?? '') ||
    (a.id < b.id ? -1 : 1)
  );
}

function worstOf(clients: readonly AssessedClient[]): AssessedClient | undefined {
  return [...clients].sort((a, b) => rankOfImpact(a.impact.level) - rankOfImpact(b.impact.level))[0];
}

function missingIssue(issueId: string): Error {
  return notFound('Issue', `no issue has the id ${JSON.stringify(issueId)}`);
}
