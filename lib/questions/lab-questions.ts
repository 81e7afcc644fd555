import { z } from 'zod';
import { labResources, labStatus } from '../api/lab';
import { defineQuestion } from './question';

/** Questions about the embedded lab, by their path below /api/v1. */
export const labQuestions = {
  lab: defineQuestion({
    summary:
      'The embedded lab: its processes, its assignments, the background faults and the invalid resources.',
    query: z.object({}),
    answer: labStatus,
  }),
  'lab/resources': defineQuestion({
    summary: 'The resources of the lab.',
    query: z.object({}),
    answer: labResources,
    hasWholeTexts: true,
  }),
} as const;

export type LabQuestions = typeof labQuestions;
