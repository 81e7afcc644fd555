import type { Connection } from './connection';

/** True for a channel to a management server whose attempts to connect fail. */
export function isFailingServer({ isManagementServer, state, failingSince }: Connection): boolean {
  return isManagementServer === true && failingSince !== undefined && state !== 'READY';
}

/** C-core reports the target of a channel with its scheme. */
export function addressOfServer({ target }: Connection): string {
  return target.replace(/^dns:\/*/i, '');
}
