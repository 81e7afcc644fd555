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

type ViewQuestionName = Exclude<ClientQuestionName, LogQuestionName>;

interface QuestionOptions {
  /** false: nothing is fetched. */
  readonly enabled?: boolean;
  /** Shows no previous answer while the new one is fetched. */
  readonly placeholderData?: undefined;
}

export function useQuestion<Name extends ViewQuestionName>(
  name: Name,
  query: ClientQuery<Name>,
  options: QuestionOptions = {},
): UseQueryResult<ClientAnswer<Name>> {
  const { subject } = useClientViewData();
  return useQuery({ ...clientQuestionOptions(subject as SubjectOf<Name>, name, query), ...options });
}
