import { group } from 'd3';
import { groupErrors } from '@/lib/issues/group-errors';
import type { ServerNames } from '@/lib/issues/server-names';
import { isUnreported, newestEnd } from '@/lib/observation/unreported';
import { buildLoadIssue, failureKeyOf } from '@/lib/views/issues/build-load-issue';
import { buildOwnIssues } from '@/lib/views/issues/build-own-issues';
import type { IssuesQuery, MutableIssue } from '@/lib/views/issues/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { InteropRuns } from '../../lab/interop-runs/interop-runs';
import type { ControlPlaneWatch } from '../../live/control-planes/control-plane-watch';
import { findUnavailable } from '../../live/issues/find-unavailable';
import { type IssueStore, issueIdOf } from '../../live/issues/issue-store';
import type { LoadErrors } from '../../live/issues/load-errors';
import type { Mutes } from '../../live/issues/mutes';
import type { RequestErrors } from '../../live/issues/request-errors';
import type { LiveState } from '../../live/live-state';
import type { VariantsApi } from '../../live/propagation/variants-api';
import type { SourceRegistry } from '../../sources/source-registry';
import type { Recorder } from '../../store/recorder/recorder';
import type { TapOutages } from './tap-outages';

interface OwnIssuesParts {
  readonly live: Pick<LiveState, 'world' | 'clientCountOf'>;
  readonly recorder: Pick<Recorder, 'stats'>;
  readonly registry: Pick<SourceRegistry, 'find'>;
  readonly variants: Pick<VariantsApi, 'list'>;
  readonly controlPlanes: Pick<ControlPlaneWatch, 'read'>;
  readonly issues: Pick<IssueStore, 'outages'>;
  readonly mutes: Pick<Mutes, 'find'>;
  readonly loadErrors: Pick<LoadErrors, 'find'>;
  readonly taps: Pick<TapOutages, 'isOfClients'>;
  readonly requestErrors: Pick<RequestErrors, 'find'>;
  readonly serverNames: Pick<ServerNames, 'idOfUnreachable'>;
  readonly runs: Pick<InteropRuns, 'hasSource'>;
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
  ): Promise<MutableIssue[]> {
    const found = [
      ...(client === undefined ? await this.#findOfProcess(moment, at) : []),
      ...(await this.#findLoadErrors({ at: moment, client }, at, signal)),
    ];
    return found.map(({ issue, subjects }) => {
      const mutedUntil = this.#parts.mutes.find(subjects, at);
      const isMuted = issue.state === 'open' && mutedUntil !== undefined;
      return { subjects, issue: { ...issue, mutedUntil, ...(isMuted && { state: 'muted' as const }) } };
    });
  }

  /** The recorder states only whether it is stopped now, which shows nothing about a past moment. */
  async #findOfProcess(moment: string | undefined, at: EpochMs): Promise<MutableIssue[]> {
    const { issues, live, registry, variants, recorder, taps, serverNames, runs } = this.#parts;
    const { state, reason } = recorder.stats();
    const outages = issues.outages.listAt(at).flatMap((outage) => {
      const source = registry.find(outage.sourceId);
      if (source === undefined || taps.isOfClients(outage) || runs.hasSource(outage.sourceId)) return [];
      const clients = live.clientCountOf(outage.sourceId);
      // The newest advice also states what the target answers as.
      const problem = outage.to === null && source.problem !== undefined ? source.problem : outage.problem;
      const { tap } = source;
      const ofServer = tap?.address === undefined ? undefined : serverNames.idOfUnreachable(tap.upstream);
      return [{ ...outage, problem, label: source.label, sourceKind: source.kind, clients, ofServer }];
    });
    return buildOwnIssues({
      outages,
      divergences: await variants.list(moment === undefined ? {} : { at: moment }),
      // The fold is of the whole log, which shows nothing about a past moment.
      ...(await this.#findControlPlanes(moment, at)),
      at,
      recorderStopped: moment === undefined && state === 'stopped' ? reason : undefined,
      idOf: issueIdOf,
    });
  }

  async #findControlPlanes(moment: string | undefined, at: EpochMs) {
    if (moment !== undefined) return { differences: [], controlPlanes: [] };
    const fold = await this.#parts.controlPlanes.read().catch((error: unknown) => {
      if (findUnavailable(error) === undefined) throw error;
      return undefined;
    });
    return { differences: fold?.differences(at) ?? [], controlPlanes: fold?.report() ?? [] };
  }

  async #findLoadErrors(
    { at: moment, client }: Pick<IssuesQuery, 'at' | 'client'>,
    at: EpochMs,
    signal: AbortSignal | undefined,
  ): Promise<MutableIssue[]> {
    const { live, loadErrors, requestErrors } = this.#parts;
    const nodeIdOf = (clientId: string): string => live.world.get(clientId)?.node.id ?? clientId;
    const endOf = (clientId: string): EpochMs | undefined => {
      const client = live.world.get(clientId);
      return client === undefined ? 0 : isUnreported(client) ? newestEnd(client) : undefined;
    };
    const found = await loadErrors.find(at, moment === undefined, signal).catch((error: unknown) => {
      if (findUnavailable(error) === undefined) throw error;
      return [];
    });
    // Load reports name localities and endpoints, too.
    const reported = new Set(found.map(({ clusterName }) => clusterName));
    const counted = requestErrors
      .find(at, moment === undefined)
      .filter(({ clusterName }) => !reported.has(clusterName));
    return [...group([...found, ...counted], failureKeyOf).values()]
      .flatMap(groupErrors)
      .filter((some) => client === undefined || some.some(({ clients }) => clients.includes(client)))
      .map((some) => ({
        issue: buildLoadIssue({ found: some, nodeIdOf, idOf: issueIdOf, endOf }),
        subjects: some.map(({ clusterName }) => `load-errors ${clusterName}`),
        target: some.length === 1 && some[0]?.counted?.by === 'channelz' ? some[0].clusterName : undefined,
      }));
  }
}
