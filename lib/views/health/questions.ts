import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { health } from './schema';

export const healthQuestion = defineQuestion({
  summary: 'State of the recorder and the sources.',
  query: z.object({}),
  answer: health,
});

export const openApiQuestion = defineQuestion({
  summary: 'This document.',
  query: z.object({}),
  answer: z.unknown(),
});
