import { defineQuestion } from '../../questions/question';
import { churn, churnQuery } from './schema';

export const churnQuestion = defineQuestion({
  summary:
    'What was sent between two moments: bytes by type, the resources that change most, pushes with a new version and equal content.',
  query: churnQuery,
  answer: churn,
  cost: 'question',
});
