import type { EpochMs } from '../../xds/units';

/**
 * GET /api/v1/stream?topics=fleet,sources,client:ID,lab,load,nacks,issues,history: server-sent events: `hello` with
 * StreamHello once, then `notices` with lists of StreamNotice (each notice once, at most one list per 100 ms), and `heartbeat`
 * every 15 s. A stream that breaks is not resumed: all data may have changed meanwhile.
 */
export type StreamTopic =
  | 'fleet'
  | 'sources'
  | 'lab'
  | 'load'
  | 'nacks'
  | 'issues'
  | 'history'
  | `client:${string}`;

/** `detail`: its summary alone. `settled`: the file that the client is from has been read to its end. */
type ClientPart = 'detail' | 'history' | 'load' | 'settled';

/** What may have changed, a topic or a part of one; the answers about it have the new state. */
export type StreamNotice =
  | StreamTopic
  | 'fleet/events'
  | 'sources/imports'
  | 'sources/replays'
  | `client:${string}/${ClientPart}`;

export interface StreamHello {
  readonly serverStartedAt: EpochMs;
}

export function topicOf(notice: StreamNotice): StreamTopic {
  const end = notice.indexOf('/');
  return (end === -1 ? notice : notice.slice(0, end)) as StreamTopic;
}
