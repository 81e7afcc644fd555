import { describeMeasuredRequests } from '@/lib/facts/measured-requests';
import { whyNoClient } from '@/lib/facts/no-client';
import type { AnswerOf, QueryOf } from '@/lib/questions/question';
import { findClient, profileOfClient } from '@/lib/resolve/client-profile';
import type { ReportedConnections } from '@/lib/views/client/find-connections';
import type { ClientQuestions } from '@/lib/views/client-questions';
import { addConnectionStates } from '@/lib/views/connections/add-connection-states';
import { servesAnyAddress } from '@/lib/views/connections/join-listeners';
import type { ConnectionsPage } from '@/lib/views/connections/schema';
import { addMeasuredRequests } from '@/lib/views/graph/add-measured-requests';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { buildTestClient } from '@/lib/views/test-client/build-test-client';
import { notFound } from '../api-error';
import type { Validator } from '../compute/validate/document-validator';
import type { PropagationComparisons } from '../live/propagation/propagation-comparisons';
import { pagePropagation } from '../live/propagation/propagation-page';
import { flushLog } from '../store/recorder/flush-log';
import { type DefaultsParts, findDefaults, findMeasured, linksOf } from './client-defaults';
import { encodeConnections } from './connections/encoded-connections';
import { explainRequest } from './explain-request';
import type { NumberedChildren } from './failover/failover-builder';
import { findFindings } from './findings/findings-api';
import { findKnownBugsOf } from './findings/known-bugs';
import type { GraphBuilder } from './graph/graph-builder';
import { parseInput } from './parse-input';
import { drawQuery, isGrpcClient, resolverQuestion, trafficQuestion } from './resolved/resolved-query';
import type { ResolverQuestion } from './resolved/resolved-questions';
import { ResourcePages } from './resources/resource-pages-api';
import { missingSubject } from './simulate-failover';
import type { ClientSubject } from './subjects/client-subjects';
import { compareBlock } from './test-client/compare-block';

type ResolvedCluster = AnswerOf<ClientQuestions['resolved']>['clusters']['items'][number];

export type ClientAnswers = {
  readonly [Name in keyof ClientQuestions]: (
    subject: ClientSubject,
    query: QueryOf<ClientQuestions[Name]>,
    /** Aborted when no reader waits for the answer. */
    signal?: AbortSignal,
  ) => Promise<AnswerOf<ClientQuestions[Name]>>;
};

interface ClientAnswersParts extends DefaultsParts {
  readonly graphs: GraphBuilder;
  readonly validate: Validator;
  readonly propagation: Pick<PropagationComparisons, 'compare'>;
}

/** More connections than these are joined with the config by the graph worker. */
const mostInPlace = 1_000;

export function createClientAnswers(parts: ClientAnswersParts): ClientAnswers {
  const { graphs, validate, recorder, propagation, measuredRequests } = parts;
  const pages = new ResourcePages();
  return {
    resources: ({ rows, at }, query) => pages.find(rows, query, at),
    async graph(subject, query, signal) {
      const { client, source, at } = subject;
      const defaults = await findDefaults(subject, parts, signal);
      const graph = await graphs.ask('graph', source, drawQuery(query, defaults), signal);
      const connected = addConnectionStates(graph.nodes, subject.connections?.connections);
      const nodes = addMeasuredRequests(connected, await findMeasured(subject, measuredRequests, signal));
      return { clientId: client.id, at, ...graph, nodes };
    },
    links: ({ source }, key, signal) => graphs.ask('links', source, key, signal),
    references: ({ source, client }, query, signal) =>
      graphs.ask('references', source, { ...query, isGrpc: isGrpcClient(client) }, signal),
    async resolved(subject, query, signal) {
      const { client, source, at, revision, moment } = subject;
      const question = resolverQuestion(query, await findDefaults(subject, parts, signal));
      const answer = await graphs.ask('resolved', source, question, signal);
      const notes = moment === undefined || moment.incomplete === '' ? [] : [moment.incomplete];
      const noClient = whyNoClient(subject);
      return {
        clientId: client.id,
        at,
        revision,
        ...answer,
        ...(noClient !== '' && { noClient }),
        clusters: {
          ...answer.clusters,
          items: await withMeasured(answer.clusters.items, subject, query, signal),
        },
        notes: [...notes, ...answer.notes],
      };
    },
    async witnesses(subject, start, signal) {
      const { client, source, at, moment } = subject;
      const resolving = parseInput(resolvedQuery, start);
      const question = resolverQuestion(resolving, await findDefaults(subject, parts, signal));
      const answer = await graphs.ask('witnesses', source, question, signal);
      return { clientId: client.id, at, ...answer, ...(moment && { moment }) };
    },
    explain: (subject, { request: about, ...start }, signal) =>
      explainRequest(subject, { ...start, about }, parts, signal),
    async connections({ client, source, at, revision, connections: reported }, view, signal) {
      const { connections: all, figures = null, serverAddresses = [] } = reported ?? {};
      const isLarge = all !== undefined && all.length > mostInPlace;
      const connections = isLarge ? await encodeConnections(all) : all;
      const process = { serverAddresses, servesAnyAddress: servesAnyAddress(client.node) };
      const question = { connections, figures, ...process, view };
      const content = await graphs.ask('connections', source, question, signal, isLarge);
      const base = { clientId: client.id, at, revision };
      return {
        ...{ ...base, source: reported && formatReporter(reported), ...content },
        countsConnectedOnly: findClient(client.node.userAgentName) === 'java',
      };
    },
    async findings(subject, query, signal) {
      const links = linksOf(subject.source, graphs, profileOfClient(subject.client), signal);
      const notices = await findKnownBugsOf(subject, recorder, links, signal);
      return { ...(await findFindings(validate, subject, query, signal)), notices };
    },
    async 'lb-tree'(subject, { node, cluster, find, ...start }, signal) {
      const { client, source, at, revision } = subject;
      const resolving = parseInput(resolvedQuery, start);
      const question = trafficQuestion(resolving, await findDefaults(subject, parts, signal));
      const numbered = await findChildNumbers(subject, question, signal);
      const about = { cluster, node, find, numbered };
      const answer = await graphs.ask('lbTree', source, { ...question, about }, signal);
      return { clientId: client.id, at, revision, ...answer };
    },
    async 'test-client'(subject, _query, signal) {
      const { client, at, testClient } = subject;
      const comparison = await compareBlock(subject, parts, signal);
      return { clientId: client.id, at, ...buildTestClient(testClient, comparison) };
    },
    propagation: async (subject, query, signal) =>
      pagePropagation(await findComparison(subject, signal), query, subject.at),
  };

  /** A question without endpoints is not about them. */
  async function withMeasured(
    items: readonly ResolvedCluster[],
    subject: ClientSubject,
    { endpoints }: QueryOf<ClientQuestions['resolved']>,
    signal: AbortSignal | undefined,
  ): Promise<ResolvedCluster[]> {
    if (endpoints === 0 || items.length === 0) return [...items];
    const found = await findMeasured(subject, measuredRequests, signal);
    return items.map((cluster) => {
      const measured = found?.get(cluster.name);
      if (measured === undefined) return cluster;
      const { addresses, localities, failing: _, ...rest } = measured;
      const text = describeMeasuredRequests(measured);
      return {
        ...cluster,
        measured: { ...rest, text, addresses: [...addresses], localities: [...localities] },
      };
    });
  }

  async function findComparison(
    { client, requested, isStored, propagation: stored }: ClientSubject,
    signal: AbortSignal | undefined,
  ) {
    const found = isStored ? stored : await propagation.compare(client.id, requested, signal);
    if (found !== undefined) return found;
    if (isStored) throw notFound('Propagation', 'the permalink stores none: another tab was shared');
    throw missingSubject({ clientId: client.id });
  }

  /**
   * A priority policy numbers its children in the order in which they appeared, so their names depend on the history of
   * the client. A permalink and a file contain no such history, and an Envoy has no such policy: their children are
   * numbered from the resources alone.
   */
  async function findChildNumbers(
    { client, at, moment, revision, isStored }: ClientSubject,
    question: ResolverQuestion,
    signal: AbortSignal | undefined,
  ): Promise<NumberedChildren | undefined> {
    const isRecorded = client.reports.some(({ vantage }) => vantage !== 'dump');
    if (isStored || !isRecorded || question.isEnvoy) return undefined;
    await flushLog(recorder);
    const list = `client ${client.id} ${moment === undefined ? `revision ${revision}` : `to ${at}`}`;
    const found = await graphs.askPast(
      'childNumbers',
      { list, clientId: client.id, until: at, signal },
      question,
    );
    return { numbers: found.numbers, since: found.beginsAt };
  }
}

function formatReporter({
  sourceId,
  vantage,
  freshness,
  reason,
  changedAt,
  countedAt,
}: ReportedConnections): ConnectionsPage['source'] {
  const times = { changedAt, countedAt };
  return { sourceId, vantage, freshness, reason, ...times };
}
