import type { StreamHello } from '@/lib/api/stream';

/**
 * Server-sent events (WHATWG HTML, 9.2). Data is JSON on one line: JSON escapes every line break inside a string, so
 * that no name from outside can end an event or begin another.
 */
const encoder = new TextEncoder();

/** `epoch` names one life of the server: revisions of another one mean nothing. */
export interface EventId {
  readonly epoch: string;
  readonly revision: number;
}

export function formatEventId({ epoch, revision }: EventId): string {
  return `${epoch}-${revision}`;
}

/** undefined for anything that we did not send. */
export function parseEventId(text: string): EventId | undefined {
  const match = /^([0-9a-f]{1,32})-(\d{1,15})$/.exec(text);
  const [, epoch, revision] = match ?? [];
  return epoch === undefined || revision === undefined ? undefined : { epoch, revision: Number(revision) };
}

export function encodeHello(id: EventId, hello: StreamHello): Uint8Array {
  return encodeEvent('hello', id, JSON.stringify(hello));
}

/** `changes` are JSON already: each is made once, whoever gets it. */
export function encodeFrame(id: EventId, changes: readonly string[]): Uint8Array {
  return encodeEvent('frame', id, `{"revision":${id.revision},"changes":[${changes.join(',')}]}`);
}

export function encodeReset(id: EventId): Uint8Array {
  return encodeEvent('reset', id, JSON.stringify({ revision: id.revision }));
}

/**
 * An event that a page can hear: a comment would reach no script, and a connection that is half open breaks with no
 * word. Its id moves on, so that a reader of quiet topics resumes from here and not from its last frame an hour ago.
 */
export function encodeHeartbeat(id: EventId): Uint8Array {
  return encodeEvent('heartbeat', id, JSON.stringify({ revision: id.revision }));
}

function encodeEvent(name: 'hello' | 'frame' | 'reset' | 'heartbeat', id: EventId, data: string): Uint8Array {
  return encoder.encode(`event: ${name}\nid: ${formatEventId(id)}\ndata: ${data}\n\n`);
}
