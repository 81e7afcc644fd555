import type { Connection } from './connection';

/** True for a channel to a management server whose attempts to connect fail. */
export function isFailingServer({ isManagementServer, state, failingSince }: Connection): boolean {
  return isManagementServer === true && failingSince !== undefined && state !== 'READY';
}

/** True for a channel that fails, in a process that has several of which one leads to a management server. */
export function mayBeFailingServer({ mayBeManagementServer, state, failingSince }: Connection): boolean {
  return mayBeManagementServer === true && failingSince !== undefined && state !== 'READY';
}

/** C-core reports the target of a channel with its scheme. */
export function addressOfServer({ target }: Pick<Connection, 'target'>): string {
  return target.replace(/^dns:\/*/i, '');
}
