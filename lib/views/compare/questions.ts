import { defineQuestion } from '../../questions/question';
import { diffAnswer, diffQuery } from './schema';

export const diffQuestion = defineQuestion({
  summary:
    'The differences between two sides: clients, moments, permalinks, files, or one resource of each. Lists are compared by their meaning, and defaults are filled in.',
  query: diffQuery,
  answer: diffAnswer,
  cost: 'question',
});
