import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { controlPlanes } from './schema';

export const controlPlanesQuestion = defineQuestion({
  summary:
    'What control planes did, as probes and taps recorded it: repeated responses, pushes that break the order of make-before-break, ends of streams, and differences between instances.',
  query: z.object({}),
  answer: controlPlanes,
  cost: 'question',
});
