import { defineQuestion } from '../../questions/question';
import { holdersAnswer, holdersQuery, searchAnswer, searchQuery } from './schema';

export const searchQuestion = defineQuestion({
  summary:
    'Resources of all clients, clients, NACKs, versions, endpoint addresses and domains whose name or text contains what is searched for.',
  query: searchQuery,
  answer: searchAnswer,
});

export const holdersQuestion = defineQuestion({
  summary: 'The clients that have a resource, with its state, version and content at each of them.',
  query: holdersQuery,
  answer: holdersAnswer,
});
