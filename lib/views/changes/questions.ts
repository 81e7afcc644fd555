import { defineQuestion } from '../../questions/question';
import { changesQuery, clientChanges } from './schema';

export const changesQuestion = defineQuestion({
  summary: 'The resources of a client that differ between two moments.',
  query: changesQuery,
  answer: clientChanges,
  cost: 'question',
});
