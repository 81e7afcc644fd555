import type { EpochMs } from '../../xds/units';
import type { ClientSummary } from '../client/schema';
import type { NotableEvent } from '../events/schema';
import type { LabStatus } from '../lab/schema';
import type { FileImport } from '../recording/import-schema';
import type { Replay } from '../recording/replay-schema';
import type { ResourceRowJson } from '../resources/row-schema';
import type { Source } from '../sources/schema';

/**
 * GET /api/v1/stream?topics=fleet,sources,client:ID,lab,load,nacks,issues,history: server-sent events: `hello` once, then
 * `frame`s (batched, at most one per 33 ms), `reset` when the ring no longer has everything after Last-Event-ID (all
 * data must be read again), and `heartbeat` every 15 s. The id of an event is the revision; a reconnect resumes after
 * it.
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

/** One change. Of several changes of one key a slow reader gets only the newest. */
export type StreamChange =
  /** Published if a browser has subscribed to the client. */
  | { readonly type: 'client'; readonly client: ClientSummary }
  /** Some clients changed, appeared or disappeared: GET fleet has the new state. */
  | { readonly type: 'fleet' }
  | { readonly type: 'client-removed'; readonly clientId: string }
  | { readonly type: 'event'; readonly event: NotableEvent }
  | { readonly type: 'source'; readonly source: Source }
  | { readonly type: 'source-removed'; readonly sourceId: string }
  | { readonly type: 'replay'; readonly replay: Replay }
  | { readonly type: 'replay-removed'; readonly replayId: string }
  | { readonly type: 'import'; readonly import: FileImport }
  | { readonly type: 'import-removed'; readonly importId: string }
  /** Rows of one client that changed; `removed` has the keys of removed rows. The graph must be fetched again. */
  | {
      readonly type: 'resources';
      readonly clientId: string;
      readonly changed: readonly ResourceRowJson[];
      readonly removed: readonly { readonly typeUrl: string; readonly name: string }[];
    }
  /** Too many rows of one client changed: all of its data must be fetched again. */
  | { readonly type: 'resources-renewed'; readonly clientId: string }
  | { readonly type: 'lab'; readonly lab: LabStatus }
  /** New load reports of that client, or (null) of any: GET load and GET load/series have the new data. */
  | { readonly type: 'load'; readonly clientId: string | null }
  /** Groups of NACKs that are new or changed: GET nacks has the new state. */
  | { readonly type: 'nacks'; readonly ids: readonly string[] }
  /** Issues began, ended, or were muted: GET issues has the new state. */
  | { readonly type: 'issues' }
  /** The log has grown by observations of that client, or (null) by any: GET history has them. */
  | { readonly type: 'history'; readonly clientId: string | null; readonly newestSeq: number };

/** The limit of rows in one change; beyond it, only the fact that they changed is published. */
export const mostRowsReported = 1_000;

export interface StreamHello {
  readonly revision: number;
  readonly serverStartedAt: EpochMs;
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
    case 'issues':
      return 'issues';
    case 'history':
      return change.clientId === null ? 'history' : `client:${change.clientId}`;
    case 'load':
      return change.clientId === null ? 'load' : `client:${change.clientId}`;
  }
}
