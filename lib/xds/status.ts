/** envoy.admin.v3.ClientResourceStatus: the status of one resource as the CLIENT reports it. */
export const clientStatuses = [
  'UNKNOWN',
  'REQUESTED',
  'DOES_NOT_EXIST',
  'ACKED',
  'NACKED',
  'RECEIVED_ERROR',
  'TIMEOUT',
] as const;
export type ClientStatus = (typeof clientStatuses)[number];

/**
 * envoy.service.status.v3.ConfigStatus: the status as the CONTROL PLANE reports it. Never combined with the client's.
 */
export const configStatuses = ['UNKNOWN', 'SYNCED', 'NOT_SENT', 'STALE', 'ERROR'] as const;
export type ConfigStatus = (typeof configStatuses)[number];

/** Worst first: the order in which problems are listed. */
const severity: readonly ClientStatus[] = [
  'NACKED',
  'RECEIVED_ERROR',
  'TIMEOUT',
  'DOES_NOT_EXIST',
  'REQUESTED',
  'UNKNOWN',
  'ACKED',
];

/** Rank 0 is the worst. */
export function clientStatusRank(status: ClientStatus): number {
  return severity.indexOf(status);
}

export function worstClientStatus(statuses: Iterable<ClientStatus>): ClientStatus | undefined {
  let worst: ClientStatus | undefined;
  for (const status of statuses) {
    if (worst === undefined || clientStatusRank(status) < clientStatusRank(worst)) worst = status;
  }
  return worst;
}

/** Whether the status is a problem. REQUESTED and UNKNOWN are not. */
export function isTrouble(status: ClientStatus): boolean {
  return ['NACKED', 'RECEIVED_ERROR', 'TIMEOUT', 'DOES_NOT_EXIST'].includes(status);
}
