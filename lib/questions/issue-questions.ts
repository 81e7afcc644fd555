import * as z from 'zod';
import { fleetStrip, fleetStripQuery, issue, issuePage, issuesQuery } from '../api/issues';
import { at } from '../api/query-fields';
import { defineQuestion } from './question';

/** Questions about what is wrong, by their path below /api/v1. */
export const issueQuestions = {
  issues: defineQuestion({
    summary:
      'What is wrong with clients and sources, now or at a moment, worst impact first: impact on RPCs, cause, clients and onset.',
    query: issuesQuery,
    answer: issuePage,
    cost: 'question',
  }),
  'issues/strip': defineQuestion({
    summary:
      'Which clients had issues when, in a time range: the worst 40 clients, and the number of the others.',
    query: fleetStripQuery,
    answer: fleetStrip,
    cost: 'question',
  }),
  'issues/{issueId}': defineQuestion({
    summary: 'One issue with its clients: as it is now, as it was at a moment, or as it was last.',
    query: z.object({ at }),
    answer: issue,
    cost: 'question',
  }),
} as const;

export type IssueQuestions = typeof issueQuestions;
