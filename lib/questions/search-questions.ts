import { holdersAnswer, holdersQuery, searchAnswer, searchQuery } from '../api/search';
import { defineQuestion } from './question';

/** Questions over all resources of the fleet, by their path below /api/v1. */
export const searchQuestions = {
  search: defineQuestion({
    summary:
      'Resources of all clients, clients, NACKs, versions, endpoint addresses and domains whose name or text contains what is searched for.',
    query: searchQuery,
    answer: searchAnswer,
  }),
  holders: defineQuestion({
    summary: 'The clients that have a resource, with its state, version and content at each of them.',
    query: holdersQuery,
    answer: holdersAnswer,
  }),
} as const;

export type SearchQuestions = typeof searchQuestions;
