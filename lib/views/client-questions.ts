import { changesQuestion } from './changes/questions';
import { connectionsQuestion } from './connections/questions';
import { explainQuestion } from './explain/questions';
import { failoversQuestion, lbTreeQuestion } from './failover/questions';
import { findingsQuestion } from './findings/questions';
import { graphQuestion } from './graph/questions';
import { linksQuestion } from './inspector/questions';
import { propagationQuestion } from './propagation/questions';
import { referencesQuestion, resolvedQuestion, tearsQuestion, witnessesQuestion } from './resolved/questions';
import { resourcesQuestion } from './resources/questions';
import { testClientQuestion } from './test-client/questions';

/**
 * Questions about one client, by their path below `/clients/{id}` and `/permalinks/{id}`. The subject of each is a live
 * client, a client at a moment (`at`), or the client of a permalink; the answer function does not distinguish them.
 */
export const clientQuestions = {
  resources: resourcesQuestion,
  graph: graphQuestion,
  links: linksQuestion,
  references: referencesQuestion,
  resolved: resolvedQuestion,
  witnesses: witnessesQuestion,
  explain: explainQuestion,
  connections: connectionsQuestion,
  findings: findingsQuestion,
  'lb-tree': lbTreeQuestion,
  propagation: propagationQuestion,
  'test-client': testClientQuestion,
} as const;

/** Questions about the history of one client whose answer a permalink stores. */
export const storedHistoryQuestions = {
  failovers: failoversQuestion,
} as const;

/** Questions about one client that are answered from the log and by no permalink. */
export const recordedQuestions = {
  changes: changesQuestion,
  tears: tearsQuestion,
} as const;

export const allClientQuestions = {
  ...clientQuestions,
  ...storedHistoryQuestions,
  ...recordedQuestions,
} as const;

export type ClientQuestions = typeof clientQuestions;
export type StoredHistoryQuestions = typeof storedHistoryQuestions;
export type RecordedQuestions = typeof recordedQuestions;
export type AllClientQuestions = typeof allClientQuestions;
export type ClientQuestionName = keyof AllClientQuestions;
