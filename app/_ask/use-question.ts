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
  /** Shows no previous answer while the new one is fetched. */
  readonly placeholderData?: undefined;
}

/** The answer to a question about the client and the moment of this view. */
export function useQuestion<Name extends ViewQuestionName>(
  name: Name,
  query: ClientQuery<Name>,
  options: QuestionOptions = {},
): UseQueryResult<ClientAnswer<Name>> {
  const { subject } = useClientViewData();
  return useQuery({ ...clientQuestionOptions(subject as SubjectOf<Name>, name, query), ...options });
}
