import { defineQuestion } from '../../questions/question';
import { historyEventQuery, historyQuery, timelineQuery } from './query';
import { historyDetail, historyPage, historyTimeline } from './schema';

export const historyQuestion = defineQuestion({
  summary: 'The log: every event that matches, in pages, newest first.',
  query: historyQuery,
  answer: historyPage,
  cost: 'question',
});

export const timelineQuestion = defineQuestion({
  summary:
    'The same events for drawing: each as a mark, or, if there are more than 50,000, their number in each interval of time.',
  query: timelineQuery,
  answer: historyTimeline,
  cost: 'question',
});

export const eventQuestion = defineQuestion({
  summary:
    'One event with its message, its resources beside what the client had before, and the response or the answer that belongs to it.',
  params: { seq: 'Place in the log.' },
  query: historyEventQuery,
  answer: historyDetail,
});
