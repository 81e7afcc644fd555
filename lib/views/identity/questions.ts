import { defineQuestion } from '../../questions/question';
import { identityPage, identityQuery } from './schema';

export const identityQuestion = defineQuestion({
  summary:
    'Clients that share a node id, whose node (cluster, locality, user agent, metadata) changed, or that no source reports any longer.',
  query: identityQuery,
  answer: identityPage,
});
