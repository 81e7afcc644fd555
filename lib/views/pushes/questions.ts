import { defineQuestion } from '../../questions/question';
import { convergence, convergenceQuery, recentConvergence, recentConvergenceQuery } from './schema';

export const convergenceQuestion = defineQuestion({
  summary:
    'One version of a type, or one content of a resource: the share of clients that accepted it over time, and which have not.',
  query: convergenceQuery,
  answer: convergence,
  cost: 'question',
});

export const recentConvergenceQuestion = defineQuestion({
  summary: 'The newest pushes, each with the number of clients that accepted it.',
  query: recentConvergenceQuery,
  answer: recentConvergence,
  cost: 'question',
});
