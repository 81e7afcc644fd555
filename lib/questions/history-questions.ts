import * as z from 'zod';
import { churn, churnQuery } from '../api/churn';
import { convergence, convergenceQuery, recentConvergence, recentConvergenceQuery } from '../api/convergence';
import { diffAnswer, diffQuery } from '../api/diff';
import { exportEstimate, exportQuery } from '../api/exports';
import { historyDetail, historyPage, historyTimeline } from '../api/history';
import { nackDetail, nackPage, nacksQuery } from '../api/nacks';
import { historyEventQuery, historyQuery, timelineQuery } from './history-query';
import { defineQuestion } from './question';

/**
 * Questions about what was recorded, by their path below /api/v1. Of two paths that match a request, the first one
 * applies.
 */
export const historyQuestions = {
  history: defineQuestion({
    summary: 'The log: every event that matches, in pages, newest first.',
    query: historyQuery,
    answer: historyPage,
    cost: 'question',
  }),
  'history/timeline': defineQuestion({
    summary:
      'The same events for drawing: each as a mark, or, if there are more than 50,000, their number in each interval of time.',
    query: timelineQuery,
    answer: historyTimeline,
    cost: 'question',
  }),
  'history/{seq}': defineQuestion({
    summary:
      'One event with its message, its resources beside what the client had before, and the response or the answer that belongs to it.',
    params: { seq: 'Place in the log.' },
    query: historyEventQuery,
    answer: historyDetail,
  }),
  nacks: defineQuestion({
    summary:
      'NACKs: those of the same type, resource and error text in one group, over clients and time. Open ones first.',
    query: nacksQuery,
    answer: nackPage,
  }),
  'nacks/{groupId}': defineQuestion({
    summary:
      'One group of NACKs: the parsed error text, the payload with the rejected field, our findings, and the state of each client.',
    query: z.object({}),
    answer: nackDetail,
  }),
  convergence: defineQuestion({
    summary:
      'One version of a type, or one content of a resource: the share of clients that accepted it over time, and which have not.',
    query: convergenceQuery,
    answer: convergence,
    cost: 'question',
  }),
  'convergence/recent': defineQuestion({
    summary: 'The newest pushes, each with the number of clients that accepted it.',
    query: recentConvergenceQuery,
    answer: recentConvergence,
    cost: 'question',
  }),
  churn: defineQuestion({
    summary:
      'What was sent between two moments: bytes by type, the resources that change most, pushes with a new version and equal content.',
    query: churnQuery,
    answer: churn,
    cost: 'question',
  }),
  diff: defineQuestion({
    summary:
      'The differences between two sides: clients, moments, permalinks, files, or one resource of each. Lists are compared by their meaning, and defaults are filled in.',
    query: diffQuery,
    answer: diffAnswer,
    cost: 'question',
  }),
  export: defineQuestion({
    summary: 'A range of the log as an .xdscope file (server/files/import/README.md).',
    query: exportQuery,
    answer: z.never(),
    mediaType: 'application/octet-stream',
    cost: 'recording',
  }),
  'export/estimate': defineQuestion({
    summary: 'The approximate size of that file.',
    query: exportQuery,
    answer: exportEstimate,
    cost: 'question',
  }),
} as const;

export type HistoryQuestions = typeof historyQuestions;
