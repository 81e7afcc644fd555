import type { NotableEvent } from '../events/schema';

/** One observation may have several events (a NACK of three resources). */
export function eventKey({ seq, kind, typeUrl, resourceName }: NotableEvent): string {
  return JSON.stringify([seq, kind, typeUrl, resourceName]);
}
