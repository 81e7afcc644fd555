import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { interopFleet } from './fleet-schema';

export const interopFleetQuestion = defineQuestion({
  summary:
    'The releases of the live gRPC clients, and which features of the interop tests their config uses.',
  query: z.strictObject({}),
  answer: interopFleet,
});
