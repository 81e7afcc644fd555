import { defineQuestion } from '../../questions/question';
import {
  loadRowsQuery,
  loadSeriesQuery,
  loadSplitQuery,
  loadTotalsQuery,
  permalinkLoadSeriesQuery,
  permalinkLoadSplitQuery,
} from './query';
import { loadRowsPage } from './rows-schema';
import { loadSeriesAnswer, loadSplit, loadTotalsAnswer } from './schema';

export const loadRowsQuestion = defineQuestion({
  summary: 'Load reports, summed per client, cluster and locality: of the clients that reported last.',
  query: loadRowsQuery,
  answer: loadRowsPage,
});

export const loadTotalsQuestion = defineQuestion({
  summary:
    'The exact sums of load reports in a time range: by cluster, locality, priority, endpoint, client, drop category or metric. Clients of imported files count only if one is named, or if no other client reported load.',
  query: loadTotalsQuery,
  answer: loadTotalsAnswer,
  cost: 'question',
});

export const loadSeriesQuestion = defineQuestion({
  summary:
    'The load in a time range, step by step: requests, errors and drops per second, requests in flight, means of metrics. For several clients together, rates are over the whole step, and requests in flight are a mean.',
  query: loadSeriesQuery,
  answer: loadSeriesAnswer,
  cost: 'question',
});

export const loadSplitQuestion = defineQuestion({
  summary:
    'How the requests of a client to a cluster are split among localities, which split is expected, and how much of the difference chance explains: in each period of the time range in which the config of the client implied the same split, and in all of them together.',
  query: loadSplitQuery,
  answer: loadSplit,
  cost: 'question',
});

export const permalinkLoadSeriesQuestion = defineQuestion({
  summary:
    'The load that a stored client reported in the stored time range, step by step. 404: the permalink stores no load.',
  query: permalinkLoadSeriesQuery,
  answer: loadSeriesAnswer,
  cost: 'question',
});

export const permalinkLoadSplitQuestion = defineQuestion({
  summary:
    'How the requests of a stored client to a cluster were split among localities, and which split was expected.',
  query: permalinkLoadSplitQuery,
  answer: loadSplit,
  cost: 'question',
});
