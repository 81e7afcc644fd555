import type {
  ClientQuestions,
  RecordedQuestions,
  StoredHistoryQuestions,
} from '@/lib/questions/client-questions';

export type AllQuestions = ClientQuestions & StoredHistoryQuestions & RecordedQuestions;

export type ClientQuestionName = keyof AllQuestions;
