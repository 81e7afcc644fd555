import { messageNameOf } from './resource-type';

/**
 * Is it what a process reports itself, and no resource that a server gave it: Envoy's host states, certificates, server
 * info (envoy.admin.*) and bootstrap? No status is reported such, and no two processes tell the same.
 */
export function isProcessDocument(typeUrl: string): boolean {
  const message = messageNameOf(typeUrl);
  return message.startsWith('envoy.admin.') || message === 'envoy.config.bootstrap.v3.Bootstrap';
}
