import type { ClientDetail } from '@/lib/views/client/schema';
import type { Replay, ReplayRequest } from '@/lib/views/recording/replay-schema';
import type { Source } from '@/lib/views/sources/schema';
import type { Ask } from '../answers/ask';
import type { AskClient } from '../answers/ask-client';
import type { RunCommand } from '../answers/run-command';
import type { UploadFacts } from '../files/import/imports';
import type { AnswerRequest } from '../http/answer-request';

/** One process of xdscope as pages use it. start-runtime.ts composes it. */
export interface Runtime {
  readonly api: Api;
  /** Ends sources, lab, streams and recorder, in that order, with everything written. */
  close(): Promise<void>;
}

/** The API for pages and HTTP requests. */
export interface Api {
  /** Handles POST imports. `sizeBytes` is the value of the Content-Length header, or null without one. */
  addImport(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    sizeBytes: number | null,
    left?: AbortSignal,
    facts?: UploadFacts,
  ): Promise<Source>;
  /** `host` is the address on which the replay listens, by default 127.0.0.1. */
  startReplay(input: ReplayRequest, host?: string): Promise<Replay>;

  /** Returns the client now, or undefined if there is no such client. */
  findClient(id: string): Promise<ClientDetail | undefined>;
  /** Returns `at` of the newest time of a client, which may be evicted, or undefined if the log has no such client. */
  findLastMoment(id: string): Promise<string | undefined>;
  /** Starts the thread that compares, before the first comparison is requested. */
  prepareDiff(): void;
  /** Answers a question about one client now, at a time, or in a permalink. */
  readonly askClient: AskClient;
  /** Answers any other question. */
  readonly ask: Ask;
  readonly runCommand: RunCommand;
  readonly answerRequest: AnswerRequest;
  /** Returns the metrics of xdscope itself and of load reports, in the text format of Prometheus. */
  getMetrics(): Promise<string>;
}
