import { SourceThread, type SourceThreadOptions } from '../source-threads/source-thread';
import type { EnvoyAdminPollerOptions } from './envoy-admin-poller';

/** The options of a poller that cross the threads, without the id of its source. */
export type EnvoyAdminSetup = Pick<EnvoyAdminPollerOptions, 'target' | 'isNamed' | 'intervalMs' | 'earlier'>;

export type EnvoyAdminThread = SourceThread<EnvoyAdminSetup>;

/** The thread of all pollers of admin interfaces, started with the first. No byte of an answer reaches the main thread. */
export function createEnvoyAdminThread(
  options: Omit<SourceThreadOptions, 'worker' | 'plural'>,
): EnvoyAdminThread {
  return new SourceThread({ worker: 'envoy-admin-poll-worker', plural: 'pollers of Envoy', ...options });
}
