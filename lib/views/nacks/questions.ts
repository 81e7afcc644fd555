import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { nackDetail, nackPage, nacksQuery } from './schema';

export const nacksQuestion = defineQuestion({
  summary:
    'NACKs: those of the same type, resource and error text in one group, over clients and time. Open ones first.',
  query: nacksQuery,
  answer: nackPage,
});

export const nackQuestion = defineQuestion({
  summary:
    'One group of NACKs: the parsed error text, the payload with the rejected field, our findings, and the state of each client.',
  query: z.object({}),
  answer: nackDetail,
});
