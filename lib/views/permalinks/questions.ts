import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { newPermalink, permalink, permalinkCreated } from './schema';

export const permalinkQuestion = defineQuestion({
  summary: 'A stored client and view.',
  query: z.object({}),
  answer: permalink,
});

export const addPermalink = defineCommand({
  summary: 'Store a client as it is now, or as it was at a moment, with a view.',
  body: newPermalink,
  status: 201,
  answer: permalinkCreated,
  cost: 'question',
});
