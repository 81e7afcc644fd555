import type { FileImport } from './imports';
import type { LabStatus } from './lab';
import type { Replay } from './replays';
import type { ClientSummary, NotableEvent, ResourceRowJson, Source } from './schema';

/**
 * GET /api/v1/stream?topics=fleet,sources,client:ID,lab,load,nacks,history
 * Server-sent events: `hello` once, then `frame`s (batched, at most one in 33 ms), `reset` when the ring no longer
 * holds what came after Last-Event-ID (read everything again), and `heartbeat` every 15 s.
 * An event's id is the revision; a reconnect resumes after it.
 */
export type StreamTopic = 'fleet' | 'sources' | 'lab' | 'load' | 'nacks' | 'history' | `client:${string}`;

/** One change. `key` names what it replaces: for a slow reader only the newest of a key is kept. */
export type StreamChange =
  /** Of a client that somebody looks at. */
  | { readonly type: 'client'; readonly client: ClientSummary }
  /** Some of the clients are different, there or gone: ask GET fleet for what is in sight. */
  | { readonly type: 'fleet' }
  | { readonly type: 'client-removed'; readonly clientId: string }
  | { readonly type: 'event'; readonly event: NotableEvent }
  | { readonly type: 'source'; readonly source: Source }
  | { readonly type: 'source-removed'; readonly sourceId: string }
  | { readonly type: 'replay'; readonly replay: Replay }
  | { readonly type: 'replay-removed'; readonly replayId: string }
  | { readonly type: 'import'; readonly import: FileImport }
  | { readonly type: 'import-removed'; readonly importId: string }
  /** Rows of one client that changed; `removed` names rows that went. The graph must be asked for again. */
  | {
      readonly type: 'resources';
      readonly clientId: string;
      readonly changed: readonly ResourceRowJson[];
      readonly removed: readonly { readonly typeUrl: string; readonly name: string }[];
    }
  /** So many rows of one client changed that they are not reported one by one: all of it must be asked for again. */
  | { readonly type: 'resources-renewed'; readonly clientId: string }
  | { readonly type: 'lab'; readonly lab: LabStatus }
  /** New load reports came: of that client, or (null) of any. Ask GET load for them, and GET load/series for what it adds. */
  | { readonly type: 'load'; readonly clientId: string | null }
  /** Groups of rejections that are new or different; ask GET nacks again. */
  | { readonly type: 'nacks'; readonly ids: readonly string[] }
  /** The log has grown up to there: by something of that client, or (null) by anything. Ask GET history for it. */
  | { readonly type: 'history'; readonly clientId: string | null; readonly newestSeq: number };

/** Rows of one client in one change; of more, only that they changed is reported. */
export const mostRowsReported = 1_000;

export interface StreamHello {
  readonly revision: number;
  readonly serverStartedAt: string;
}

export interface StreamFrame {
  readonly revision: number;
  readonly changes: readonly StreamChange[];
}

export function topicOf(change: StreamChange): StreamTopic {
  switch (change.type) {
    case 'client':
      return `client:${change.client.id}`;
    case 'client-removed':
      return `client:${change.clientId}`;
    case 'fleet':
    case 'event':
      return 'fleet';
    case 'source':
    case 'source-removed':
    case 'replay':
    case 'replay-removed':
    case 'import':
    case 'import-removed':
      return 'sources';
    case 'resources':
    case 'resources-renewed':
      return `client:${change.clientId}`;
    case 'lab':
      return 'lab';
    case 'nacks':
      return 'nacks';
    case 'history':
      return change.clientId === null ? 'history' : `client:${change.clientId}`;
    case 'load':
      return change.clientId === null ? 'load' : `client:${change.clientId}`;
  }
}
