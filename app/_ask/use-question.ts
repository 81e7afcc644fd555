'use client';

import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { assertView, ClientViewContext } from '@/app/_ask/client-view-data';
import type { ClientQuestionName } from '@/lib/views/client-questions';
import {
  type ClientAnswer,
  type ClientQuery,
  clientQuestionOptions,
  type LogQuestionName,
} from './client-question';
import { type Answer, type QuestionInput, type QuestionPath, questionOptions } from './question';

type ViewQuestionName = Exclude<ClientQuestionName, LogQuestionName>;

interface QuestionOptions {
  /** false: nothing is fetched. */
  readonly enabled?: boolean;
  /** Shows no previous answer while the new one is fetched. */
  readonly placeholderData?: undefined;
}

const isOfClient: Readonly<Record<ViewQuestionName, true>> = {
  resources: true,
  graph: true,
  links: true,
  references: true,
  resolved: true,
  witnesses: true,
  explain: true,
  connections: true,
  findings: true,
  'lb-tree': true,
  propagation: true,
  'test-client': true,
  failovers: true,
};

type QuestionName = ViewQuestionName | QuestionPath;
type InputOf<Name extends QuestionName> = Name extends ViewQuestionName
  ? ClientQuery<Name>
  : Name extends QuestionPath
    ? QuestionInput<Name>
    : never;
type AnswerTo<Name extends QuestionName> = Name extends ViewQuestionName
  ? ClientAnswer<Name>
  : Name extends QuestionPath
    ? Answer<Name>
    : never;

/** Asks a question about the client of the view, or one about the fleet, the log or the process. */
export function useQuestion<Name extends QuestionName>(
  name: Name,
  input: InputOf<Name>,
  options: QuestionOptions = {},
): UseQueryResult<AnswerTo<Name>> {
  const view = useContext(ClientViewContext);
  const asked =
    name in isOfClient
      ? clientQuestionOptions(assertView(view).subject, name as ViewQuestionName, input as never)
      : questionOptions(name as QuestionPath, input as never);
  return useQuery({ ...(asked as UseQueryOptions<AnswerTo<Name>>), ...options });
}

type ListPath = {
  [Path in QuestionPath]: Answer<Path> extends { readonly items: readonly unknown[] } ? Path : never;
}[QuestionPath];
type ItemOf<Path extends ListPath> = Answer<Path>['items'][number];

/** The items of the answer to a question that has a list as its answer. */
export function useItems<Path extends ListPath>(
  path: Path,
  input: QuestionInput<Path>,
): UseQueryResult<ItemOf<Path>[]> {
  return useQuery({
    ...questionOptions(path, input),
    select: ({ items }) => items,
  });
}
