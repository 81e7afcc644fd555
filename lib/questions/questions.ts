import { fleetQuestions } from './fleet-questions';
import { historyQuestions } from './history-questions';
import { issueQuestions } from './issue-questions';
import { loadQuestions } from './load-questions';
import { processQuestions } from './process-questions';
import { searchQuestions } from './search-questions';

/** Every question that is not about one client, by its path below /api/v1. */
export const otherQuestions = {
  ...fleetQuestions,
  ...historyQuestions,
  ...issueQuestions,
  ...loadQuestions,
  ...processQuestions,
  ...searchQuestions,
} as const;

export type OtherQuestions = typeof otherQuestions;
