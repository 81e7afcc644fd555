import { fleetQuestions } from './fleet-questions';
import { historyQuestions } from './history-questions';
import { labQuestions } from './lab-questions';
import { loadQuestions } from './load-questions';
import { processQuestions } from './process-questions';
import { recordingQuestions } from './recording-questions';
import { sourceQuestions } from './source-questions';

/** Every question that is not about one client, by its path below /api/v1. */
export const otherQuestions = {
  ...fleetQuestions,
  ...sourceQuestions,
  ...historyQuestions,
  ...recordingQuestions,
  ...loadQuestions,
  ...labQuestions,
  ...processQuestions,
} as const;

export type OtherQuestions = typeof otherQuestions;
