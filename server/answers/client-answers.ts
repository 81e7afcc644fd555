import { clientKindOf } from '@/lib/lb/client-kind';
import type { ClientQuestions } from '@/lib/questions/client-questions';
import type { AnswerOf, QueryOf } from '@/lib/questions/question';
import { resolvedQuery } from '@/lib/questions/resolved-query';
import { notFound } from '../api/api-error';
import { parseInput } from '../api/parse-input';
import type { PropagationComparisons } from '../propagation/propagation-comparisons';
import { pagePropagation } from '../propagation/propagation-page';
import type { Recorder } from '../recorder/recorder';
import type { ClientSubject } from '../subjects/client-subjects';
import type { Validator } from '../validate/document-validator';
import type { NumberedChildren } from './failover/failover-builder';
import { flushLog } from './files/flush-log';
import { findFindings } from './findings/findings-api';
import type { GraphBuilder } from './graph/graph-builder';
import { drawQuery, resolverQuestion, trafficQuestion } from './resolved/resolved-query';
import type { ResolverQuestion } from './resolved/resolved-questions';
import { ResourcePages } from './resources/resource-pages-api';
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
  readonly validate: Validator;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats'>;
  readonly propagation: Pick<PropagationComparisons, 'compare'>;
}

export function createClientAnswers({
  graphs,
  validate,
  recorder,
  propagation,
}: ClientAnswersParts): ClientAnswers {
  const pages = new ResourcePages();
  return {
    resources: ({ rows }, query) => pages.find(rows, query),
    async graph({ client, source, reported, at }, query) {
      const graph = await graphs.build(client.id, source, drawQuery(query, { ...client, reported }));
      return { ...graph, at };
    },
    links: ({ source }, key) => graphs.links(source, key),
    references: ({ source }, query) => graphs.references(source, query),
    async resolved({ client, reported, source, at, revision, moment }, query) {
      const answer = await graphs.resolve(source, resolverQuestion(query, { ...client, reported }));
      const notes = moment === undefined || moment.incomplete === '' ? [] : [moment.incomplete];
      return { clientId: client.id, at, revision, ...answer, notes: [...notes, ...answer.notes] };
    },
    findings: (subject, query) => findFindings(validate, subject, query),
    async 'lb-tree'(subject, { 'client-kind': kind, node, cluster, find, ...start }) {
      const { client, source, reported, at, revision } = subject;
      const resolving = parseInput(resolvedQuery, { ...start, profile: kind });
      const question = trafficQuestion(resolving, { ...client, reported });
      const numbered = await findChildNumbers(subject, question, kind);
      const answer = await graphs.lbTree(source, question, { cluster, kind, node, find, numbered });
      return { clientId: client.id, at, revision, ...answer };
    },
    propagation: async (subject, query) => pagePropagation(await findComparison(subject), query),
  };

  async function findComparison({ client, asked, isStored, propagation: stored }: ClientSubject) {
    const found = isStored ? stored : await propagation.compare(client.id, asked);
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
    await flushLog(recorder);
    const until = Date.parse(at);
    const list = `client ${client.id} ${moment === undefined ? `revision ${revision}` : `to ${until}`}`;
    const found = await graphs.childNumbers({ list, clientId: client.id, until }, { ...question, kind });
    return { numbers: found.numbers, since: found.beginsAt };
  }
}
