import { defineQuestion } from '../../questions/question';
import { cohorts, cohortsQuery, fleetPage, fleetQuery } from './schema';

export const fleetQuestion = defineQuestion({
  summary:
    'A window of the client list, filtered, sorted, and grouped by any field of the node, with counts.',
  query: fleetQuery,
  answer: fleetPage,
});

export const cohortsQuestion = defineQuestion({
  summary:
    'Clients grouped by identical config (resource names and payloads, whatever the versions and the order), and what the clients of a cohort have in common.',
  query: cohortsQuery,
  answer: cohorts,
});
