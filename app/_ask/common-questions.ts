import type { QueryKey } from '@tanstack/react-query';
import type { QuestionInput } from './question';

/** Questions that several pages ask alike, or that the server answers before the browser asks. */

export const eventsQuestion = { limit: 200 } as const satisfies QuestionInput<'events'>;

/** The list of the Overview and the count of the navigation. */
export const openIssues = { state: 'open' } as const satisfies QuestionInput<'issues'>;

/** All clients in trouble, the worst first. Terminated clients are not active issues. */
export const troubledQuestion = {
  q: 'trouble=yes fresh!=gone',
  sort: 'status',
  limit: 100,
} as const satisfies QuestionInput<'fleet'>;

/** The prefixes of the keys of answers that are made of all clients. */
export const fleetKeys: readonly QueryKey[] = [['fleet'], ['cohorts'], ['identity']];
