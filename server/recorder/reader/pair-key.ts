import type { LogEntry } from '../blocks/log-entry';

/** A response and its ACK or NACK have the same: stream, type and nonce. null: neither of the two. */
export function pairKeyOf({ observation }: LogEntry): string | null {
  switch (observation.kind) {
    case 'response-received':
    case 'ack-sent':
    case 'nack-sent':
      return `${observation.streamId}\u0000${observation.typeUrl}\u0000${observation.nonce}`;
    default:
      return null;
  }
}
