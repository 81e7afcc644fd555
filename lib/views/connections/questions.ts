import { defineQuestion } from '../../questions/question';
import { connectionsPage, connectionsQuery } from './schema';

export const connectionsQuestion = defineQuestion({
  summary:
    'The endpoints of a client, the state of its connections to them with calls and errors, and where both disagree.',
  query: connectionsQuery,
  answer: connectionsPage,
});
