import type { AnswerOf, QueryInput, QueryOf, Question } from '@/lib/questions/question';
import {
  type AllClientQuestions,
  allClientQuestions,
  type ClientQuestionName,
  type RecordedQuestions,
  type StoredHistoryQuestions,
} from '@/lib/views/client-questions';
import type { ClientAnswers } from './client-answers';
import { finishAnswer } from './finish-answer';
import { parseQuery } from './parse-input';
import type { ClientRef, ClientSubject } from './subjects/client-subjects';

type ClientAnswer<Name extends ClientQuestionName> = AnswerOf<AllClientQuestions[Name]>;

const questions: Readonly<Record<string, Question>> = allClientQuestions;

/** Answers each question from the log; undefined if there is no such client. */
type RecordedAnswers = {
  readonly [Name in keyof (StoredHistoryQuestions & RecordedQuestions)]: (
    clientId: string,
    query: QueryOf<AllClientQuestions[Name]>,
    signal?: AbortSignal,
  ) => Promise<ClientAnswer<Name> | undefined>;
};

interface AskClientParts {
  readonly findSubject: (ref: ClientRef, signal?: AbortSignal) => Promise<ClientSubject | undefined>;
  readonly answers: ClientAnswers;
  readonly recorded: RecordedAnswers;
  /** Returns answers that a permalink stored; undefined if there is no such permalink. */
  readonly stored: {
    readonly [Name in keyof StoredHistoryQuestions]: (
      permalinkId: string,
    ) => Promise<ClientAnswer<Name> | undefined>;
  };
}

/** Answers a question about a client, or undefined without such a client. Throws 400 if the query is not valid. */
export type AskClient = <Name extends ClientQuestionName>(
  name: Name,
  ref: ClientRef,
  query: QueryInput<AllClientQuestions[Name]>,
  signal?: AbortSignal,
) => Promise<ClientAnswer<Name> | undefined>;

export function createAskClient({ findSubject, answers, recorded, stored }: AskClientParts): AskClient {
  const find = async (
    name: string,
    ref: ClientRef,
    query: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const answer = findAnswer(answers, name);
    if (answer !== undefined) {
      const subject = await findSubject(ref, signal);
      // The answer's own moment takes precedence.
      return subject && { moment: subject.moment, ...(await answer(subject, query, signal)) };
    }
    return 'permalinkId' in ref
      ? findAnswer(stored, name)?.(ref.permalinkId)
      : findAnswer(recorded, name)?.(ref.clientId, query, signal);
  };
  const ask = async (
    name: string,
    ref: ClientRef,
    input: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const question = questions[name];
    if (question === undefined)
      throw new Error(`expected a question about a client, got ${JSON.stringify(name)}`);
    return finishAnswer(question, await find(name, ref, parseQuery(question.query, input), signal));
  };
  return ask as AskClient;
}

/** The type guarantees that the table is complete; the name is a text of a request. */
function findAnswer(table: object, name: string): ((...input: unknown[]) => Promise<object>) | undefined {
  return Object.hasOwn(table, name) ? Reflect.get(table, name) : undefined;
}
