import { group } from 'd3';
import { groupErrors } from '@/lib/issues/group-errors';
import { buildLoadIssue, failureKeyOf } from '@/lib/views/issues/build-load-issue';
import { buildOwnIssues } from '@/lib/views/issues/build-own-issues';
import type { Issue, IssuesQuery } from '@/lib/views/issues/schema';
import type { EpochMs } from '@/lib/xds/units';
import { findUnavailable } from '../../issues/find-unavailable';
import { type IssueStore, issueIdOf } from '../../issues/issue-store';
import type { LoadErrors } from '../../issues/load-errors';
import type { Mutes } from '../../issues/mutes';
import type { RequestErrors } from '../../issues/request-errors';
import type { LiveState } from '../../live/live-state';
import type { VariantsApi } from '../../propagation/variants-api';
import type { Recorder } from '../../recorder/recorder';
import type { SourceRegistry } from '../../sources/source-registry';

interface OwnIssuesParts {
  readonly live: Pick<LiveState, 'world' | 'clientCountOf'>;
  readonly recorder: Pick<Recorder, 'stats'>;
  readonly registry: Pick<SourceRegistry, 'find'>;
  readonly variants: Pick<VariantsApi, 'list'>;
  readonly issues: Pick<IssueStore, 'outages'>;
  readonly mutes: Pick<Mutes, 'find'>;
  readonly loadErrors: Pick<LoadErrors, 'find'>;
  readonly requestErrors: Pick<RequestErrors, 'find'>;
}

/** Issues that no status of a resource states: failed requests, sources, servers and the recorder. */
export class OwnIssues {
  readonly #parts: OwnIssuesParts;

  constructor(parts: OwnIssuesParts) {
    this.#parts = parts;
  }

  /** Finds the issues that are open at this time, or that ended most recently before it. */
  async find(
    { at: moment, client }: Pick<IssuesQuery, 'at' | 'client'>,
    at: EpochMs,
    signal?: AbortSignal,
  ): Promise<Issue[]> {
    const found = [
      ...(client === undefined ? await this.#findOfProcess(moment, at) : []),
      ...(await this.#findLoadErrors({ at: moment, client }, at, signal)),
    ];
    return found.map((issue) => {
      const mutedUntil = this.#parts.mutes.find(issue.id, at);
      const isMuted = issue.state === 'open' && mutedUntil !== undefined;
      return {
        ...issue,
        mutedUntil,
        ...(isMuted && { state: 'muted' as const }),
      };
    });
  }

  /** The recorder states only whether it is stopped now, which shows nothing about a past moment. */
  async #findOfProcess(moment: string | undefined, at: EpochMs): Promise<Issue[]> {
    const { issues, live, registry, variants, recorder } = this.#parts;
    const { state, reason } = recorder.stats();
    const outages = issues.outages.listAt(at).flatMap((outage) => {
      const source = registry.find(outage.sourceId);
      if (source === undefined) return [];
      const clients = live.clientCountOf(outage.sourceId);
      // The newest advice also states what the target answers as.
      const problem = outage.to === null && source.problem !== undefined ? source.problem : outage.problem;
      return [{ ...outage, problem, label: source.label, sourceKind: source.kind, clients }];
    });
    return buildOwnIssues({
      outages,
      divergences: await variants.list(moment === undefined ? {} : { at: moment }),
      recorderStopped: moment === undefined && state === 'stopped' ? reason : undefined,
      idOf: issueIdOf,
    });
  }

  async #findLoadErrors(
    { at: moment, client }: Pick<IssuesQuery, 'at' | 'client'>,
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<Issue[]> {
    const { live, loadErrors, requestErrors } = this.#parts;
    const nodeIdOf = (clientId: string): string => live.world.get(clientId)?.node.id ?? clientId;
    const found = await loadErrors.find(at, moment === undefined, signal).catch((error: unknown) => {
      if (findUnavailable(error) === undefined) throw error;
      return [];
    });
    // Load reports name localities and endpoints, too.
    const reported = new Set(found.map(({ clusterName }) => clusterName));
    const counted = requestErrors.find(at).filter(({ clusterName }) => !reported.has(clusterName));
    return [...group([...found, ...counted], failureKeyOf).values()]
      .flatMap(groupErrors)
      .filter((some) => client === undefined || some.some(({ clients }) => clients.includes(client)))
      .map((some) => buildLoadIssue({ found: some, nodeIdOf, idOf: issueIdOf }));
  }
}
