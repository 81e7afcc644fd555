import { defineQuestion } from '../../questions/question';
import { sizes, sizesQuery } from './schema';

export const sizesQuestion = defineQuestion({
  summary:
    'The bytes of config by client, type, resource and field, with the largest state-of-the-world responses.',
  query: sizesQuery,
  answer: sizes,
  cost: 'question',
});
