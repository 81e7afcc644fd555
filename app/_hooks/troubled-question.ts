import type { FleetParams } from './query-keys';

/** All clients in trouble, the worst first. */
export const troubledQuestion: FleetParams = { q: 'trouble=yes', sort: 'status', group: '', open: [] };
