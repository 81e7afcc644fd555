import { by } from '@/lib/collections/compare';
import { rankOfImpact } from '@/lib/issues/client-impact';
import { type AssessedClient, describeImpact } from '@/lib/issues/describe-impact';
import type { IssueAt } from '@/lib/issues/issue-at';
import type { IssuePeriod } from '@/lib/issues/issue-record';
import { mutedSubjects } from '@/lib/issues/muted-subjects';
import type { ClientReport } from '@/lib/observation/client-state';
import type { Connection } from '@/lib/observation/connection';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import { buildIssue } from '@/lib/views/issues/build-issue';
import type { Issue } from '@/lib/views/issues/schema';
import type { EpochMs } from '@/lib/xds/units';
import { findUnavailable } from '../../live/issues/find-unavailable';
import type { IssueStore } from '../../live/issues/issue-store';
import type { MeasuredShare } from '../../live/issues/measured-share';
import type { Mutes } from '../../live/issues/mutes';
import type { LiveState } from '../../live/live-state';
import type { ImpactAssessor } from './impact-assessor';

export interface IssueBuilderParts {
  readonly live: Pick<LiveState, 'world'>;
  readonly issues: Pick<IssueStore, 'outages'>;
  readonly mutes: Pick<Mutes, 'find'>;
  readonly assessor: Pick<ImpactAssessor, 'assess'>;
  readonly measured: Pick<MeasuredShare, 'find'>;
}

/** Limits the clients of an issue whose effective config is assessed, and the assessments for one answer. */
const assessedPerIssue = 20;
const assessedPerAnswer = 400;
/** An assessment waits for bodies most of the time, and takes some milliseconds of this thread. */
const assessedAtOnce = 4;

/** An issue, and the impact on those of its clients that were assessed. */
export interface Assessed {
  readonly found: IssueAt;
  readonly clients: readonly AssessedClient[];
}

/** Assesses the impact of issues of clients, and builds the answers about them. */
export class IssueBuilder {
  readonly #parts: IssueBuilderParts;

  constructor(parts: IssueBuilderParts) {
    this.#parts = parts;
  }

  /** The oldest clients of each issue are assessed. */
  async assess(
    found: readonly IssueAt[],
    at: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Assessed[]> {
    const perIssue = Math.min(
      assessedPerIssue,
      Math.max(1, Math.floor(assessedPerAnswer / Math.max(1, found.length))),
    );
    const assessed = found.map((): (AssessedClient | undefined)[] => []);
    const chosen = found
      .slice(0, assessedPerAnswer)
      .flatMap((each, index) =>
        each.periods.slice(0, perIssue).map((period, place) => ({ each, index, period, place })),
      )
      .values();
    const lane = async (): Promise<void> => {
      for (const { each, index, period, place } of chosen) {
        const client = await this.#assessClient(each, period, at, signal);
        const clients = assessed[index];
        if (clients !== undefined) clients[place] = client;
      }
    };
    await Promise.all(Array.from({ length: assessedAtOnce }, lane));
    return found.map((each, index) => ({
      found: each,
      clients: (assessed[index] ?? []).filter((client) => client !== undefined),
    }));
  }

  #assessClient(
    { record, resolvedAt }: IssueAt,
    period: IssuePeriod,
    at: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<AssessedClient | undefined> {
    // The impact of a resolved issue is assessed at its onset.
    const moment = resolvedAt === undefined || period.fromSeq === null ? at : `seq:${period.fromSeq}`;
    return this.#parts.assessor
      .assess(record.id, record.cause, period, moment, signal)
      .catch((error: unknown) => this.#unassessed(period.clientId, error));
  }

  /** The recording cannot be read, as if its directory is gone: the issue itself is still known. */
  #unassessed(clientId: string, error: unknown): AssessedClient {
    const cause = findUnavailable(error);
    if (cause === undefined) throw error;
    const reason = `the effective config could not be read: ${cause}`;
    return {
      nodeId: this.nodeIdOf(clientId),
      isEnvoy: false,
      impact: { level: 'unknown', listener: null, cluster: null, reason },
    };
  }

  nodeIdOf(clientId: string): string {
    return this.#parts.live.world.get(clientId)?.node.id ?? clientId;
  }

  #otherChannelsOf(clientId: string): readonly Connection[] {
    const current = this.#reportsOf(clientId).filter(({ goneAt }) => goneAt === null);
    return current.flatMap(({ connections = [] }) =>
      connections.filter(({ kind, target }) => kind === 'channel' && !/^xds:/i.test(target)),
    );
  }

  #isProbe(clientId: string): boolean {
    return this.#reportsOf(clientId).some(({ vantage }) => vantage === 'probe');
  }

  #reportsOf(clientId: string): ClientReport[] {
    return [...(this.#parts.live.world.get(clientId)?.reports.values() ?? [])];
  }

  async #requestsOf(found: IssueAt, signal: AbortSignal | undefined): Promise<Issue['requests']> {
    try {
      return await this.#parts.measured.find(found, signal);
    } catch (error) {
      if (findUnavailable(error) === undefined) throw error;
      return undefined;
    }
  }

  async build(
    { found, clients }: Assessed,
    at: EpochMs,
    clientsListed: number,
    signal: AbortSignal | undefined,
  ): Promise<Issue> {
    const worst = worstOf(clients);
    const outages = this.#outagesAt(at);
    return buildIssue({
      found,
      impact: describeImpact(clients, found.periods.length),
      assessed: clients.length,
      listener: worst?.impact.listener ?? null,
      mutedUntil: this.#parts.mutes.find(mutedSubjects(found), at),
      requests: await this.#requestsOf(found, signal),
      otherChannelsOf: (clientId) => this.#otherChannelsOf(clientId),
      nodeIdOf: (clientId) => this.nodeIdOf(clientId),
      isProbe: (clientId) => this.#isProbe(clientId),
      isImported: (clientId) => isImportedClient({ reports: this.#reportsOf(clientId) }),
      clientsListed,
      unobservedSince: (clientId) => this.#unobservedSince(clientId, outages),
    });
  }

  #outagesAt(at: EpochMs): ReadonlyMap<string, EpochMs> {
    const open = this.#parts.issues.outages.listAt(at).filter(({ to }) => to === null);
    return new Map(open.map(({ sourceId, from }) => [sourceId, from]));
  }

  /** A tap that cannot connect to its server still reports its clients. */
  #unobservedSince(clientId: string, outages: ReadonlyMap<string, EpochMs>): EpochMs | undefined {
    const reports = this.#reportsOf(clientId).filter(({ goneAt }) => goneAt === null);
    const since = reports.map(({ sourceId, vantage }) =>
      vantage === 'tap' ? undefined : outages.get(sourceId),
    );
    return since.length === 0 || since.includes(undefined)
      ? undefined
      : Math.max(...since.flatMap((each) => each ?? []));
  }
}

function worstOf(clients: readonly AssessedClient[]): AssessedClient | undefined {
  return [...clients].sort(by((each) => rankOfImpact(each.impact.level)))[0];
}
