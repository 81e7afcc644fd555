import { fleetQuestions } from './fleet-questions';

/** Every question that is not about one client, by its path below /api/v1. */
export const otherQuestions = { ...fleetQuestions } as const;

export type OtherQuestions = typeof otherQuestions;
