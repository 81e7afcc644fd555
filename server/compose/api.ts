import type { Replay, ReplayRequest } from '@/lib/api/replays';
import type { ClientDetail, Source } from '@/lib/api/schema';
import type { Ask } from '../answers/ask';
import type { AskClient } from '../answers/ask-client';
import type { RunCommand } from '../answers/run-command';
import type { AnswerRequest } from '../http/answer-request';

/** What one process of xdscope is, to the pages. Composed by start-runtime.ts. */
export interface Runtime {
  readonly api: Api;
  /** Ends sources, lab, streams and recorder, in that order, with everything written. */
  close(): Promise<void>;
}

/** The API for pages and HTTP requests. */
export interface Api {
  /** POST imports. `sizeBytes`: by the Content-Length header; null without one. */
  addImport(name: string, chunks: AsyncIterable<Uint8Array>, sizeBytes: number | null): Promise<Source>;
  /** `host`: the address that the replay listens on; undefined: 127.0.0.1. */
  startReplay(input: ReplayRequest, host?: string): Promise<Replay>;

  /** The client now. undefined: there is no such client. */
  findClient(id: string): ClientDetail | undefined;
  /**
   * `at` of the newest moment of a client in the log, whose client may be evicted. undefined: the log has no such
   * client.
   */
  findLastMoment(id: string): Promise<string | undefined>;
  /** Starts the thread that compares, before the first comparison is requested. */
  prepareDiff(): void;
  /** Answers a question about one client, of now, of a moment or of a permalink. */
  readonly askClient: AskClient;
  /** Answers any other question. */
  readonly ask: Ask;
  readonly runCommand: RunCommand;
  readonly answerRequest: AnswerRequest;
  /** The metrics of xdscope itself and of load reports, in the text format of Prometheus. */
  getMetrics(): Promise<string>;
}
