import { clientKindOf } from '@/lib/lb/client-kind';
import type { ClientQuestions } from '@/lib/questions/client-questions';
import type { AnswerOf, QueryOf } from '@/lib/questions/question';
import { resolvedQuery } from '@/lib/questions/resolved-query';
import { notFound } from '../api/api-error';
import type { NumberedChildren } from '../api/failover-builder';
import { findFindings } from '../api/findings-api';
import type { GraphBuilder } from '../api/graph-builder';
import { parseInput } from '../api/parse-input';
import { drawQuery, resolverQuestion, trafficQuestion } from '../api/resolved-query';
import type { ResolverQuestion } from '../api/resolved-questions';
import { ResourcePages } from '../api/resource-pages-api';
import { settleLog } from '../api/settle-log';
import type { Recorder } from '../recorder/recorder';
import type { ClientSubject } from '../subjects/client-subjects';
import type { TruthComparisons } from '../truth/truth-comparisons';
import { pageTruth } from '../truth/truth-page';
import type { Judge } from '../validate/judge';
import { missingSubject } from './simulate-failover';

/** By question: its answer for any subject that is a client. */
export type ClientAnswers = {
  readonly [Name in keyof ClientQuestions]: (
    subject: ClientSubject,
    query: QueryOf<ClientQuestions[Name]>,
  ) => Promise<AnswerOf<ClientQuestions[Name]>>;
};

export interface ClientAnswersParts {
  readonly graphs: GraphBuilder;
  readonly judge: Judge;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats'>;
  readonly truth: Pick<TruthComparisons, 'compare'>;
}

export function createClientAnswers({ graphs, judge, recorder, truth }: ClientAnswersParts): ClientAnswers {
  const pages = new ResourcePages();
  return {
    resources: ({ rows }, query) => pages.find(rows, query),
    async graph({ client, source, told, at }, query) {
      const graph = await graphs.build(client.id, source, drawQuery(query, { ...client, told }));
      return { ...graph, at };
    },
    links: ({ source }, key) => graphs.links(source, key),
    references: ({ source }, query) => graphs.references(source, query),
    async resolved({ client, told, source, at, revision, moment }, query) {
      const answer = await graphs.resolve(source, resolverQuestion(query, { ...client, told }));
      const notes = moment === undefined || moment.incomplete === '' ? [] : [moment.incomplete];
      return { clientId: client.id, at, revision, ...answer, notes: [...notes, ...answer.notes] };
    },
    findings: (subject, query) => findFindings(judge, subject, query),
    async 'lb-tree'(subject, { 'client-kind': kind, node, cluster, find, ...start }) {
      const { client, source, told, at, revision } = subject;
      const resolving = parseInput(resolvedQuery, { ...start, profile: kind });
      const question = trafficQuestion(resolving, { ...client, told });
      const numbered = await findChildNumbers(subject, question, kind);
      const answer = await graphs.lbTree(source, question, { cluster, kind, node, find, numbered });
      return { clientId: client.id, at, revision, ...answer };
    },
    truth: async (subject, query) => pageTruth(await findComparison(subject), query),
  };

  async function findComparison({ client, asked, isStored, truth: stored }: ClientSubject) {
    const found = isStored ? stored : await truth.compare(client.id, asked);
    if (found !== undefined) return found;
    if (isStored) throw notFound('Propagation', 'the permalink stores none: another tab was shared');
    throw missingSubject({ clientId: client.id });
  }

  /**
   * A priority policy numbers its children in the order in which they came, so their names depend on the history of the
   * client. A permalink does not store that history: its children are numbered from the stored resources alone.
   */
  async function findChildNumbers(
    { client, at, moment, revision, isStored }: ClientSubject,
    question: ResolverQuestion,
    kind = clientKindOf(question.profile),
  ): Promise<NumberedChildren | undefined> {
    if (isStored) return undefined;
    await settleLog(recorder);
    const until = Date.parse(at);
    const list = `client ${client.id} ${moment === undefined ? `revision ${revision}` : `to ${until}`}`;
    const found = await graphs.childNumbers({ list, clientId: client.id, until }, { ...question, kind });
    return { numbers: found.numbers, since: found.beginsAt };
  }
}
