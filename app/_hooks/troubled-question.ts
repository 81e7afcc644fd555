import type { FleetParams } from './query-keys';

/** All clients that are in trouble, the worst first. */
export const troubledQuestion: FleetParams = { q: 'trouble=yes', sort: 'status', group: '', open: [] };
