import { defineQuestion } from '../../questions/question';
import { resourcePage, resourcesQuery } from './schema';

export const resourcesQuestion = defineQuestion({
  summary:
    'The resources of a client, page by page, as the client reports them, with the report of the control plane beside each.',
  query: resourcesQuery,
  answer: resourcePage,
});
