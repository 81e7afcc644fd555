import type { AnswerOf, QueryOf } from '@/lib/questions/question';
import type { ReportedConnections } from '@/lib/views/client/find-connections';
import type { ClientQuestions } from '@/lib/views/client-questions';
import { addConnectionStates } from '@/lib/views/connections/add-connection-states';
import { servesAnyAddress } from '@/lib/views/connections/join-listeners';
import type { ConnectionsPage } from '@/lib/views/connections/schema';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { notFound } from '../api-error';
import type { PropagationComparisons } from '../propagation/propagation-comparisons';
import { pagePropagation } from '../propagation/propagation-page';
import { flushLog } from '../recorder/flush-log';
import type { Recorder } from '../recorder/recorder';
import type { ClientSubject } from '../subjects/client-subjects';
import type { Validator } from '../validate/document-validator';
import { findDefaults, routesOf } from './client-defaults';
import { encodeConnections } from './connections/encoded-connections';
import type { NumberedChildren } from './failover/failover-builder';
import { findFindings } from './findings/findings-api';
import { findNoticesOf } from './findings/notices';
import type { GraphBuilder } from './graph/graph-builder';
import { parseInput } from './parse-input';
import { drawQuery, isGrpcClient, resolverQuestion, trafficQuestion } from './resolved/resolved-query';
import type { ResolverQuestion } from './resolved/resolved-questions';
import { ResourcePages } from './resources/resource-pages-api';
import { missingSubject } from './simulate-failover';

export type ClientAnswers = {
  readonly [Name in keyof ClientQuestions]: (
    subject: ClientSubject,
    query: QueryOf<ClientQuestions[Name]>,
    /** Aborted when no reader waits for the answer. */
    signal?: AbortSignal,
  ) => Promise<AnswerOf<ClientQuestions[Name]>>;
};

interface ClientAnswersParts {
  readonly graphs: GraphBuilder;
  readonly validate: Validator;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>;
  readonly propagation: Pick<PropagationComparisons, 'compare'>;
}

/** More connections than these are joined with the config by the graph worker. */
const mostInPlace = 1_000;

export function createClientAnswers({
  graphs,
  validate,
  recorder,
  propagation,
}: ClientAnswersParts): ClientAnswers {
  const pages = new ResourcePages();
  return {
    resources: ({ rows, at }, query) => pages.find(rows, query, at),
    async graph(subject, query, signal) {
      const { client, source, at } = subject;
      const defaults = await findDefaults(subject, { graphs, recorder }, signal);
      const graph = await graphs.ask('graph', source, drawQuery(query, defaults), signal);
      const nodes = addConnectionStates(graph.nodes, subject.connections?.connections);
      return { clientId: client.id, at, ...graph, nodes };
    },
    links: ({ source }, key, signal) => graphs.ask('links', source, key, signal),
    references: ({ source, client }, query, signal) =>
      graphs.ask('references', source, { ...query, isGrpc: isGrpcClient(client) }, signal),
    async resolved(subject, query, signal) {
      const { client, source, at, revision, moment } = subject;
      const question = resolverQuestion(query, await findDefaults(subject, { graphs, recorder }, signal));
      const answer = await graphs.ask('resolved', source, question, signal);
      const notes = moment === undefined || moment.incomplete === '' ? [] : [moment.incomplete];
      return {
        clientId: client.id,
        at,
        revision,
        ...answer,
        notes: [...notes, ...answer.notes],
      };
    },
    async connections({ client, source, at, revision, connections: reported }, view, signal) {
      const { connections: all, figures = null, serverAddresses = [] } = reported ?? {};
      const isLarge = all !== undefined && all.length > mostInPlace;
      const connections = isLarge ? await encodeConnections(all) : all;
      const process = { serverAddresses, servesAnyAddress: servesAnyAddress(client.node) };
      const question = { connections, figures, ...process, view };
      const content = await graphs.ask('connections', source, question, signal, isLarge);
      const base = { clientId: client.id, at, revision };
      return { ...base, source: reported && formatReporter(reported), ...content };
    },
    async findings(subject, query, signal) {
      const findRoutes = routesOf(subject.source, graphs, signal);
      const notices = await findNoticesOf(subject, recorder, findRoutes, signal);
      return { ...(await findFindings(validate, subject, query, signal)), notices };
    },
    async 'lb-tree'(subject, { node, cluster, find, ...start }, signal) {
      const { client, source, at, revision } = subject;
      const resolving = parseInput(resolvedQuery, start);
      const question = trafficQuestion(resolving, await findDefaults(subject, { graphs, recorder }, signal));
      const numbered = await findChildNumbers(subject, question, signal);
      const about = { cluster, node, find, numbered };
      const answer = await graphs.ask('lbTree', source, { ...question, about }, signal);
      return { clientId: client.id, at, revision, ...answer };
    },
    propagation: async (subject, query, signal) =>
      pagePropagation(await findComparison(subject, signal), query, subject.at),
  };

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
