import { inEffect } from '@/lib/facts/effect';
import { type ClientImpact, impact } from '@/lib/issues/client-impact';
import type { AssessedClient } from '@/lib/issues/describe-impact';
import { describeTlsUse } from '@/lib/issues/describe-tls-use';
import { assessImpact, type EffectiveListener } from '@/lib/issues/impact';
import type { CertificateOfIssue, IssueCause, IssuePeriod } from '@/lib/issues/issue-record';
import { assessServerIssue, isOfServer } from '@/lib/issues/server-impact';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { AnswerOf, QueryInput } from '@/lib/questions/question';
import { profileOfClient } from '@/lib/resolve/client-profile';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { ClientQuestions } from '@/lib/views/client-questions';
import { hasOnlyClusterRoutes, trafficOf } from '@/lib/views/resolved/traffic-of-config';
import { clientOf } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS, SDS, VHDS } from '@/lib/xds/resource-type';
import type { LiveState } from '../../live/live-state';
import { KeptWork } from '../../workers/kept-work';
import type { AskClient } from '../ask-client';
import type { GraphBuilder } from '../graph/graph-builder';
import type { ClientRef, ClientSubjects } from '../subjects/client-subjects';

type Resolved = AnswerOf<ClientQuestions['resolved']>;

interface ImpactAssessorParts {
  readonly live: Pick<LiveState, 'world' | 'revisionOf'>;
  readonly subjects: Pick<ClientSubjects, 'findNow' | 'find'>;
  readonly askClient: AskClient;
  readonly graphs: Pick<GraphBuilder, 'ask'>;
}

type ListenersRef = ClientRef & { readonly clientId: string; readonly at: string | undefined };

/** Limits the listeners of a client from which the effective config is assessed. */
const mostListeners = 8;
/** Limits the clusters that share the endpoints of an issue. */
const mostClusters = 8;
const mostKept = 2_000;

/** Finds what an issue of a client does to its RPCs, from the effective config that the graph worker builds. */
export class ImpactAssessor {
  readonly #parts: ImpactAssessorParts;

  /** The keys consist of the client, its revision and the issue. */
  readonly #known = new KeptWork<AssessedClient | undefined>(mostKept);

  constructor(parts: ImpactAssessorParts) {
    this.#parts = parts;
  }

  /** `at` is a moment as in the URL, by default now. Resolves to undefined if the client is not known (any more). */
  async assess(
    issueId: string,
    cause: IssueCause,
    period: IssuePeriod,
    at: string | undefined,
    signal?: AbortSignal,
  ): Promise<AssessedClient | undefined> {
    const client = await this.#findClient(period.clientId, at, signal);
    if (client === undefined) return undefined;
    const key = `${issueId} ${period.clientId} ${client.revision} ${period.keepsAccepted} ${period.impact?.level}`;
    return this.#known.run(key, signal, (stop) => this.#assess(cause, period, client.detail, at, stop));
  }

  async #findClient(
    clientId: string,
    at: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly detail: ClientDetail; readonly revision: string } | undefined> {
    const { live, subjects } = this.#parts;
    if (at !== undefined) {
      const then = await subjects.find(clientId, at, { signal });
      return then && { detail: then.client, revision: then.revision };
    }
    const detail = subjects.findNow(clientId);
    return detail && { detail, revision: String(live.revisionOf(clientId)) };
  }

  async #assess(
    cause: IssueCause,
    period: IssuePeriod,
    client: ClientDetail,
    at: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<AssessedClient> {
    const isEnvoy = clientOf(profileOfClient(client)) === 'envoy';
    if (client.isProbe) return { nodeId: client.nodeId, isEnvoy, impact: ofProbe };
    if (cause.certificate !== undefined && period.impact === undefined) {
      const impact = await this.#assessCertificate(
        cause,
        cause.certificate,
        { clientId: client.id, at },
        signal,
      );
      return { nodeId: client.nodeId, isEnvoy, impact };
    }
    if (isOfServer(cause)) {
      const ref = { clientId: client.id, at };
      return { nodeId: client.nodeId, isEnvoy, impact: await this.#assessServer(cause, ref, signal) };
    }
    const isKnown = period.impact !== undefined;
    const nothing = { listeners: [], isWhole: true };
    const { listeners, isWhole } = isKnown
      ? nothing
      : await this.#findListeners(cause, { clientId: client.id, at }, signal);
    return { nodeId: client.nodeId, isEnvoy, impact: assessImpact(cause, period, listeners, isWhole) };
  }

  /** The filter chains and clusters in effect that name the secret of the certificate. */
  async #assessCertificate(
    { typeUrl, name }: ResourceKey,
    { isExpired, role }: CertificateOfIssue,
    ref: ListenersRef,
    signal: AbortSignal | undefined,
  ): Promise<ClientImpact> {
    const { askClient, subjects } = this.#parts;
    const links = await askClient('links', ref, { typeUrl, name }, signal);
    const subject = await subjects.find(ref.clientId, ref.at, { signal });
    const inUse = new Set(
      subject?.rows
        .filter((row) => inEffect(row).kind === 'payload')
        .map(({ typeUrl, name }) => `${typeUrl} ${name}`),
    );
    const users = links?.usedBy.filter((each) => inUse.has(`${each.typeUrl} ${each.name}`)) ?? [];
    const namesOf = (type: string) => users.filter((each) => each.typeUrl === type).map((each) => each.name);
    const chains: string[] = [];
    for (const listener of namesOf(LDS.typeUrl).slice(0, mostListeners)) {
      const resolved = await askClient('resolved', ref, { listener, limit: 0 }, signal);
      const own = resolved?.chains.filter(({ secrets }) => secrets.includes(name)) ?? [];
      chains.push(...own.map((chain) => `filter chain ${chain.name || chain.match} of listener ${listener}`));
    }
    const listeners = namesOf(LDS.typeUrl)
      .slice(mostListeners)
      .map((listener) => `listener ${listener}`);
    const clusters = namesOf(CDS.typeUrl).map((cluster) => `cluster ${cluster}`);
    const places = [...chains, ...listeners, ...clusters];
    if (places.length === 0)
      return impact('none', {
        reason: 'no listener or cluster that is known to be in effect uses the secret',
      });
    const reason = describeTlsUse({ isExpired, role, users: places });
    return impact(isExpired ? 'tls-fails' : 'expires', { reason });
  }

  async #assessServer(
    cause: Parameters<typeof assessServerIssue>[0],
    ref: ListenersRef,
    signal: AbortSignal | undefined,
  ): Promise<ClientImpact> {
    const subject = await this.#parts.subjects.find(ref.clientId, ref.at, { signal });
    const { listeners } = await this.#findListeners({ typeUrl: LDS.typeUrl, name: '' }, ref, signal);
    return assessServerIssue(cause, subject?.rows ?? [], listeners);
  }

  async #findListeners(
    { typeUrl, name }: ResourceKey,
    ref: ListenersRef,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly listeners: EffectiveListener[]; readonly isWhole: boolean }> {
    const isOfTraffic = [LDS, RDS, VHDS, CDS, EDS, SDS].some((type) => type.typeUrl === typeUrl);
    if (!isOfTraffic) return { listeners: [], isWhole: true };
    const ask = (query: QueryInput<ClientQuestions['resolved']>) =>
      this.#parts.askClient('resolved', ref, { limit: 0, ...query }, signal);
    if (typeUrl === LDS.typeUrl && name !== '')
      return { listeners: listenersOf([await ask({ listener: name })]), isWhole: true };
    const first = await ask({});
    const starts = (first?.starts ?? []).map(({ listener }) => listener);
    const leading =
      starts.length > mostListeners && name !== ''
        ? await this.#findLeading({ typeUrl, name }, ref, signal)
        : [];
    const possible = leading.length > 0 ? leading : starts;
    const listeners = possible.slice(0, mostListeners);
    const clusters = await this.#findClusters({ typeUrl, name }, ref, signal);
    const found: EffectiveListener[] = [];
    for (const listener of listeners) {
      if (clusters.length === 0) {
        found.push(...listenersOf([listener === first?.start?.listener ? first : await ask({ listener })]));
        continue;
      }
      const answers: (Resolved | undefined)[] = [];
      for (const cluster of clusters) answers.push(await ask({ listener, cluster, limit: 1, endpoints: 0 }));
      found.push(...listenersOf(answers));
    }
    return { listeners: found, isWhole: possible.length <= mostListeners && clusters.length < mostClusters };
  }

  /** The listeners that lead to the resource; empty if none is known. */
  async #findLeading(
    of: ResourceKey,
    { clientId, at }: ListenersRef,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const { subjects, graphs } = this.#parts;
    const subject = await subjects.find(clientId, at, { signal });
    if (subject === undefined) return [];
    return (await graphs.ask('leading', subject.source, { of: [of] }, signal)).listeners;
  }

  /** The clusters that the issue of a cluster, of its endpoints or of a secret affects. */
  async #findClusters(
    { typeUrl, name }: ResourceKey,
    ref: ClientRef,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    if (name === '') return [];
    if (typeUrl === CDS.typeUrl) return [name];
    if (typeUrl !== EDS.typeUrl && typeUrl !== SDS.typeUrl) return [];
    const links = await this.#parts.askClient('links', ref, { typeUrl, name }, signal);
    const clusters = links?.usedBy.filter((each) => each.typeUrl === CDS.typeUrl) ?? [];
    return clusters.slice(0, mostClusters).map((each) => each.name);
  }
}

const ofProbe = impact('none', { reason: 'a probe of xdscope sends no RPCs' });

/** The answers are about one listener; each has a part of the clusters that are concerned. */
function listenersOf(answers: readonly (Resolved | undefined)[]): EffectiveListener[] {
  const [first] = answers;
  if (first === undefined) return [];
  const { start, status, error, doubts, missing, chains, clusters } = first;
  const concerned = answers.flatMap((answer) => answer?.clusters.items ?? []);
  return [
    {
      ...{ listener: start?.listener ?? '', status, error, doubts, missing },
      traffic: trafficOf(first),
      isDynamic: first.dynamic.length > 0,
      hasOnlyClusterRoutes: hasOnlyClusterRoutes(first),
      chains: chains.map((chain) => ({ name: chain.name || chain.match, failure: chain.failure })),
      routes: chains.flatMap(({ routeConfigs }) => routeConfigs.map(({ name }) => name)),
      clusters: clusters.byStatus,
      concerned: concerned.map(({ name, serviceName, kind, use, notModelled, error: text, ...cluster }) => {
        // How the cluster chooses an endpoint is not an effect of the issue.
        const isChosen = notModelled !== undefined && cluster.status === 'unknown';
        return {
          ...{ name, serviceName, status: isChosen ? ('ok' as const) : cluster.status, error: text },
          usable: kind === 'endpoints' && !isChosen ? use.usable : null,
          panicThreshold: use.panicThreshold,
          traffic: trafficOf(first, cluster),
        };
      }),
    },
  ];
}
