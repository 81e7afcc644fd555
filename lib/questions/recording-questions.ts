import { z } from 'zod';
import { permalink } from '../api/permalinks';
import { pinList } from '../api/pins';
import { replayList } from '../api/replays';
import { defineQuestion } from './question';

/** Questions about what is kept and served of the log, by their path below /api/v1. */
export const recordingQuestions = {
  pins: defineQuestion({
    summary: 'The ranges of the log that are exempt from retention.',
    query: z.object({}),
    answer: pinList,
  }),
  replays: defineQuestion({
    summary: 'The replays, each with the management server that serves it.',
    query: z.object({}),
    answer: replayList,
  }),
  'permalinks/{id}': defineQuestion({
    summary: 'A stored client and view.',
    query: z.object({}),
    answer: permalink,
  }),
} as const;

export type RecordingQuestions = typeof recordingQuestions;
