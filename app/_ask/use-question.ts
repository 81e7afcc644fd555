'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useClientViewData } from '@/app/_ask/client-view-data';
import type { ClientQuestionName } from '@/lib/questions/client-questions';
import {
  type ClientAnswer,
  type ClientQuery,
  clientQuestionOptions,
  type LogQuestionName,
  type SubjectOf,
} from './client-question';

/** Questions that every subject of a view answers. */
type ViewQuestionName = Exclude<ClientQuestionName, LogQuestionName>;

interface QuestionOptions {
  /** false: nothing is fetched. */
  readonly enabled?: boolean;
  /** Nothing is shown until the answer is there. */
  readonly placeholderData?: undefined;
}

/** The answer to a question about the client of this view, at its moment. */
export function useQuestion<Name extends ViewQuestionName>(
  name: Name,
  query: ClientQuery<Name>,
  options: QuestionOptions = {},
): UseQueryResult<ClientAnswer<Name>> {
  const { subject } = useClientViewData();
  return useQuery({ ...clientQuestionOptions(subject as SubjectOf<Name>, name, query), ...options });
}
