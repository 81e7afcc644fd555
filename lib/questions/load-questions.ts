import { loadSeriesAnswer, loadSplit, loadTotalsAnswer } from '../api/load';
import { loadRowsPage } from '../api/load-rows';

import {
  loadRowsQuery,
  loadSeriesQuery,
  loadSplitQuery,
  loadTotalsQuery,
  permalinkLoadSeriesQuery,
  permalinkLoadSplitQuery,
} from './load-query';
import { defineQuestion } from './question';

/** Questions about load reports (LRS), by their path below /api/v1. */
export const loadQuestions = {
  load: defineQuestion({
    summary: 'Load reports, summed per client, cluster and locality: of the clients that reported last.',
    query: loadRowsQuery,
    answer: loadRowsPage,
  }),
  'load/totals': defineQuestion({
    summary:
      'The exact sums of load reports in a time range: by cluster, locality, priority, endpoint, client, drop category or metric. Clients of imported files count only if one is named, or if no other client reported load.',
    query: loadTotalsQuery,
    answer: loadTotalsAnswer,
    cost: 'question',
  }),
  'load/series': defineQuestion({
    summary:
      'The load in a time range, step by step: requests, errors and drops per second, requests in flight, means of metrics. For several clients together, rates are over the whole step, and requests in flight are a mean.',
    query: loadSeriesQuery,
    answer: loadSeriesAnswer,
    cost: 'question',
  }),
  'load/split': defineQuestion({
    summary:
      'How the requests of a client to a cluster are split among localities, which split is expected, and how much of the difference chance explains: in each period of the time range in which the config of the client implied the same split, and in all of them together.',
    query: loadSplitQuery,
    answer: loadSplit,
    cost: 'question',
  }),
  'permalinks/{id}/load/series': defineQuestion({
    summary:
      'The load that a stored client reported in the stored time range, step by step. 404: the permalink stores no load.',
    query: permalinkLoadSeriesQuery,
    answer: loadSeriesAnswer,
    cost: 'question',
  }),
  'permalinks/{id}/load/split': defineQuestion({
    summary:
      'How the requests of a stored client to a cluster were split among localities, and which split was expected.',
    query: permalinkLoadSplitQuery,
    answer: loadSplit,
    cost: 'question',
  }),
} as const;

export type LoadQuestions = typeof loadQuestions;
