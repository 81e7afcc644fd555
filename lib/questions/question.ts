import type { z } from 'zod';

/** The process limit that a request counts against: `recording` sends a whole file, `question` one answer. */
export type Cost = 'recording' | 'question';

/**
 * A GET request. The HTTP route, the OpenAPI entry, the permalink variant and the query of the browser are derived from
 * this value.
 */
export interface Question<Query extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** The query of the URL. Each field has a description (`.meta()`), and a default unless it is required. */
  readonly query: Query;
  readonly answer: Answer;
  /** Descriptions of the parameters of the path, by name. */
  readonly params?: Readonly<Record<string, string>>;
  /** Set if the answer is not JSON: `answer` is then `z.never()`, and the answer function returns a Response. */
  readonly mediaType?: string;
  /** Schemas of other forms of the answer, by media type. The answer function returns them as a Response. */
  readonly otherForms?: Readonly<Record<string, z.ZodType>>;
  /** Absent: the request is not limited. */
  readonly cost?: Cost;
  /** Long texts in the answer are not cut. */
  readonly hasWholeTexts?: true;
}

/** The input of a caller: fields with a default are optional. */
export type QueryInput<Q extends Question> = z.input<Q['query']>;
export type QueryOf<Q extends Question> = z.output<Q['query']>;
export type AnswerOf<Q extends Question> = z.output<Q['answer']>;

/** Checks the type of the value and preserves its literal type. */
export function defineQuestion<Query extends z.ZodType, Answer extends z.ZodType>(
  question: Question<Query, Answer>,
): Question<Query, Answer> {
  return question;
}
