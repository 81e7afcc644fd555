import type { PathParams } from '@/lib/questions/command';
import type { AnswerOf, QueryInput, QueryOf, Question } from '@/lib/questions/question';
import { type OtherQuestions, otherQuestions } from '@/lib/views/questions';
import { finishAnswer } from './finish-answer';
import { parseQuery } from './parse-input';

export type QuestionPath = keyof OtherQuestions;

/** The part of a request besides its query. */
export interface AskContext<Path extends string = string> {
  readonly params: PathParams<Path>;
  /** Aborted when no reader waits for the answer. */
  readonly signal?: AbortSignal | undefined;
  /** Header fields of the HTTP request; absent for pages. */
  readonly headers?: Headers | undefined;
}

/** The answer function of each question. A Response is sent unchanged, as for CSV. */
export type Answers = {
  readonly [Path in QuestionPath]: (
    query: QueryOf<OtherQuestions[Path]>,
    context: AskContext<Path>,
  ) => MaybePromise<AnswerOf<OtherQuestions[Path]> | Response>;
};
type MaybePromise<T> = T | Promise<T>;

/** Answers a question that is not about one client. ApiError 400: the query is not valid; 404: something is missing. */
export type Ask = <Path extends QuestionPath>(
  path: Path,
  query: QueryInput<OtherQuestions[Path]>,
  context: AskContext<Path>,
) => Promise<AnswerOf<OtherQuestions[Path]>>;

export function createAsk(answers: Answers): Ask {
  const questions: Readonly<Record<string, Question>> = otherQuestions;
  const ask = async (path: string, input: unknown, context: AskContext): Promise<unknown> => {
    const question = questions[path];
    if (question === undefined) throw new Error(`expected a question, got ${JSON.stringify(path)}`);
    // The question determines the type of the query; the path is a text of the request.
    const answer = answers[path as QuestionPath] as (query: unknown, context: AskContext) => unknown;
    return finishAnswer(question, await answer(parseQuery(question.query, input), context));
  };
  return ask as Ask;
}
