import { defineQuestion } from '../../questions/question';
import { divergences, divergencesQuery, propagationPage, propagationQuery } from './schema';

export const propagationQuestion = defineQuestion({
  summary:
    'The payload of each resource of a client as our state-of-the-world probe received it, as our delta probe received it, as the control plane reports it and as the client reports it; and the first mismatch.',
  query: propagationQuery,
  answer: propagationPage,
  cost: 'question',
});

export const divergencesQuestion = defineQuestion({
  summary:
    'Resources that ADS sources with the same subscriptions receive differently from one server over state of the world and over delta.',
  query: divergencesQuery,
  answer: divergences,
  cost: 'question',
});
