import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { at } from '../fields/query-fields';
import { fleetStrip, fleetStripQuery, issue, issueMute, issuePage, issuesQuery } from './schema';

export const issuesQuestion = defineQuestion({
  summary:
    'What is wrong with clients and sources, now or at a moment, worst impact first: impact on RPCs, cause, clients and onset.',
  query: issuesQuery,
  answer: issuePage,
  cost: 'question',
});

export const fleetStripQuestion = defineQuestion({
  summary:
    'Which clients had issues when, in a time range: the worst 40 clients, and the number of the others.',
  query: fleetStripQuery,
  answer: fleetStrip,
  cost: 'question',
});

export const issueQuestion = defineQuestion({
  summary: 'One issue with its clients: as it is now, as it was at a moment, or as it was last.',
  query: z.object({ at }),
  answer: issue,
  cost: 'question',
});

export const muteIssue = defineCommand({
  summary: 'Mute an issue until a time, or unmute it. Nothing else changes.',
  body: issueMute,
  answer: issue,
});
