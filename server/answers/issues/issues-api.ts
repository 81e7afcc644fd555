import type { Issue, IssuePage, IssuesQuery } from '@/lib/api/issues';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { type AssessedClient, describeImpact, severities } from '@/lib/issues/describe-impact';
import { rankOfImpact } from '@/lib/issues/impact';
import { findIssueAt, type IssueAt } from '@/lib/issues/issue-at';
import { withoutImplied } from '@/lib/issues/without-implied';
import type { Steps } from '@/lib/steps/steps';
import { buildIssue } from '@/lib/view-model/issues/build-issue';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest, notFound } from '../../api-error';
import type { IssueStore } from '../../issues/issue-store';
import type { MeasuredShare } from '../../issues/measured-share';
import type { Mutes } from '../../issues/mutes';
import type { LiveState } from '../../live/live-state';
import type { Clock } from '../../observe';
import { takeSteps } from '../../threads/take-steps';
import type { ImpactAssessor } from './impact-assessor';

export interface IssuesApiParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly live: Pick<LiveState, 'world'>;
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

interface Assessed {
  readonly found: IssueAt;
  readonly clients: readonly AssessedClient[];
}

export class IssuesApi {
  constructor(private readonly parts: IssuesApiParts) {}

  async list(query: IssuesQuery, signal?: AbortSignal): Promise<IssuePage> {
    const { issues, mutes } = this.parts;
    const at = await this.#timeOf(query.at);
    const found = await this.#find(query, at);
    const current = found.filter(({ resolvedAt }) => resolvedAt === null);
    const muted = current.filter(({ record }) => mutes.find(record.id, at) !== null).length;
    const wanted = found.filter((each) => this.#isWanted(each, query, at));
    const assessed = await this.#assess(wanted, query.at, signal);
    const ranked = rank(assessed).slice(0, query.limit);
    return {
      items: await Promise.all(ranked.map((each) => this.#build(each, at, clientsInList, signal))),
      total: wanted.length,
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
    if (found === undefined) throw missingIssue(issueId);
    const [assessed] = await this.#assess([found], at, signal);
    if (assessed === undefined) throw missingIssue(issueId);
    return this.#build(assessed, time, clientsInDetail, signal);
  }

  async mute(issueId: string, until: EpochMs | null): Promise<Issue> {
    const { issues, mutes, clock } = this.parts;
    const now = clock.now();
    if (!issues.index.records.has(issueId)) throw missingIssue(issueId);
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

  #isWanted({ record, resolvedAt }: IssueAt, { state, from, to }: IssuesQuery, at: EpochMs): boolean {
    if (state === 'resolved') {
      return resolvedAt !== null && resolvedAt >= (from ?? 0) && resolvedAt <= (to ?? at);
    }
    if (resolvedAt !== null) return false;
    if (state === 'current') return true;
    return (this.parts.mutes.find(record.id, at) !== null) === (state === 'muted');
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
          return this.parts.assessor.assess(record.id, record.cause, period, moment, signal);
        }),
      );
      answers.push({ found: each, clients: clients.filter((client) => client !== undefined) });
    }
    return answers;
  }

  async #build(
    { found, clients }: Assessed,
    at: EpochMs,
    clientsListed: number,
    signal: AbortSignal | undefined,
  ): Promise<Issue> {
    const { mutes, measured, live } = this.parts;
    const worst = worstOf(clients);
    return buildIssue({
      found,
      impact: describeImpact(clients, found.periods.length),
      assessed: clients.length,
      listener: worst?.impact.listener ?? null,
      mutedUntil: mutes.find(found.record.id, at),
      requests: await measured.find(found, signal),
      nodeIdOf: (clientId) => live.world.get(clientId)?.node.id ?? clientId,
      clientsListed,
    });
  }

  #knownSince(): EpochMs | null {
    const { since, index } = this.parts.issues;
    const times = [since, index.completeSince].filter((time) => time !== null);
    return times.length === 0 ? null : Math.max(...times);
  }
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

function worstOf(clients: readonly AssessedClient[]): AssessedClient | undefined {
  return [...clients].sort((a, b) => rankOfImpact(a.impact.level) - rankOfImpact(b.impact.level))[0];
}

function missingIssue(issueId: string): Error {
  return notFound('Issue', `no issue has the id ${JSON.stringify(issueId)}`);
}
