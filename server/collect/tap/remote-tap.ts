import { byDescending } from '@/lib/collections/compare';
import type { ClientReport } from '@/lib/observation/client-state';
import type { Observation, Problem, StreamOpened } from '@/lib/observation/observation';
import { isMethodOfPolls } from '@/lib/xds/rest-path';
import type { Emission } from '../../observe';
import type { SourceStatus, TapStatus } from '../../source-status';
import { initialSourceStatus } from '../../source-status';
import type { ThreadedSourceOptions } from '../../workers/threads/threaded-source';
import { ThreadedSource } from '../../workers/threads/threaded-source';
import type { ReportsOf } from '../source-kind/source-kind';
import type { RecordedClient } from './recorded-stream';
import { maxIdleRows } from './recorded-stream';
import type { ListenerNews } from './tap-counters';
import type { TapSettings } from './tap-settings';

export interface RemoteTapOptions extends ThreadedSourceOptions {
  readonly settings: TapSettings;
  /** Yields what the tap has reported of each client. */
  readonly reports: () => ReturnType<ReportsOf>;
}

interface TapControl {
  open(settings: TapSettings): void;
  pause(): void;
  resume(): void;
  close(): void;
}

const maxNotes = 5;

/** A tap as a source, which works in two other threads. */
export class RemoteTap extends ThreadedSource<RemoteTapOptions> {
  readonly #control: TapControl;

  #status: SourceStatus;
  #isPaused = false;
  #news: ListenerNews | null = null;
  /** The newest note is last. */
  readonly #notes = new Set<string>();
  #recordingProblem: Problem | null = null;
  /** The last port, or 0 if the tap has not listened yet. */
  #port = 0;
  #isReported: 'up' | 'down' | null = null;

  constructor(options: RemoteTapOptions, control: TapControl) {
    super(options, () => control.close());
    this.#control = control;

    const { listen, upstream } = options.settings;
    this.#status = {
      ...initialSourceStatus,
      clients: this.streams.clients,
      tap: { ...noTraffic, listen: listen.text, upstream: upstream.text },
    };
  }

  get sourceId(): string {
    return this.options.sourceId;
  }

  get status(): SourceStatus {
    return this.#status;
  }

  /** Returns the clients that a new recording thread has to know. */
  recordedClients(): Iterable<RecordedClient> {
    return recordedClients(this.streams, this.options.reports());
  }

  start(): void {
    this.#control.open(this.#settingsToOpen());
    if (this.#isPaused) this.#control.pause();
  }

  /** Pauses recording. Streams continue. */
  pause(): void {
    this.#isPaused = true;
    this.#control.pause();
    this.#publish();
  }

  resume(): void {
    this.#isPaused = false;
    this.#control.resume();
    this.#publish();
  }

  onNews(news: ListenerNews): void {
    this.#news = news;
    if (news.address !== undefined)
      this.#port = Number(news.address.slice(news.address.lastIndexOf(':') + 1));
    this.#publish();
  }

  onNote(note: string): void {
    this.#notes.delete(note);
    this.#notes.add(note);
    const [oldest] = this.#notes;
    if (this.#notes.size > maxNotes && oldest !== undefined) this.#notes.delete(oldest);
    this.#publish();
  }

  onEmission(observation: Observation, bodies: Emission['bodies']): void {
    this.#follow(observation);
    this.emit(observation, bodies);
    this.#publish();
  }

  /** `problem` is null when recording has resumed. */
  onRecording(problem: Problem | null): void {
    this.#recordingProblem = problem;
    // The next polls open streams of their own.
    if (problem !== null) {
      this.endStreams('UNAVAILABLE', problem.message, ({ method }) => isMethodOfPolls(method));
    }
    this.#publish();
  }

  /** Must be called when the relay thread has ended, and with it all streams. */
  onRelayLost(problem: Problem): void {
    this.endStreams('UNAVAILABLE', problem.message);
    this.#news = this.#news && {
      ...this.#news,
      ...{ address: undefined, listenProblem: problem, streams: 0, connections: 0 },
    };
    this.#publish();
  }

  /** A tap that listened on any free port reuses it, because clients are configured with it. */
  #settingsToOpen(): TapSettings {
    const { settings } = this.options;
    return this.#port === 0 ? settings : { ...settings, listen: { ...settings.listen, port: this.#port } };
  }

  #follow(observation: Observation): void {
    this.streams.follow(observation);
    if (observation.kind !== 'response-received') return;
    const { at, repeats = 1 } = observation;
    const { answers } = this.#status;
    this.#status = {
      ...this.#status,
      answers: answers + repeats,
      answerBytes: observation.sizeBytes,
      lastSuccessAt: at,
      lastChangedAt: at,
      ...(observation.tookMs !== undefined && { latencyMs: observation.tookMs }),
    };
  }

  #publish(): void {
    const { settings, onStatus, clock } = this.options;
    const news = this.#news;
    const problem = this.#problem();
    const state = this.#isPaused ? 'paused' : problem !== null ? 'down' : news === null ? 'connecting' : 'up';
    const { address, connections, streams, bytesUp, bytesDown, droppedMessages } = news ?? noTraffic;
    const tap: TapStatus = {
      ...{ listen: settings.listen.text, address, upstream: settings.upstream.text },
      ...{ connections, streams, bytesUp, bytesDown, droppedMessages },
    };
    const lastAttemptAt = news?.hasDialled === true ? clock.now() : undefined;
    this.#status = {
      ...this.#status,
      ...{ state, tap, lastAttemptAt, notes: this.#allNotes(), problem: state === 'down' ? problem : null },
    };
    onStatus(this.#status);
    if (state === 'up' || state === 'down') this.#emitTurn(state, problem);
  }

  /** A failed connection to the server is a problem of the tap only while there is no other connection. */
  #problem(): Problem | null {
    const news = this.#news;
    if (news === null) return null;
    return news.listenProblem ?? (news.connections === 0 ? news.upstreamProblem : null);
  }

  #allNotes(): string[] {
    const news = this.#news;
    const upstream = news !== null && news.connections > 0 ? news.upstreamProblem : null;
    return [
      ...(this.#isPaused ? ['recording is paused; streams are still relayed'] : []),
      ...(this.#recordingProblem === null ? [] : [this.#recordingProblem.message]),
      ...(upstream === null ? [] : [`a new connection failed: ${upstream.message}`]),
      ...(news === null || news.hasDialled ? [] : ['no client has connected yet']),
      ...(news?.notes ?? []),
      ...this.#notes,
    ];
  }

  #emitTurn(state: 'up' | 'down', problem: Problem | null): void {
    if (this.#isReported === state) return;
    const wasReported = this.#isReported;
    this.#isReported = state;
    const { sourceId, clock } = this.options;
    const base = { at: clock.now(), vantage: 'tap', sourceId } as const;
    if (state === 'down' && problem !== null) {
      this.emit({ kind: 'source-down', ...base, problem });
    } else if (wasReported !== null || state === 'up') {
      this.emit({ kind: 'source-up', ...base });
    }
  }
}

const noTraffic = {
  ...{ address: undefined, connections: 0, streams: 0 },
  ...{ bytesUp: 0, bytesDown: 0, droppedMessages: 0 },
};

/**
 * Yields the clients that a new recording thread has to know: those with open streams first, then those that may
 * connect again.
 */
export function* recordedClients(
  streams: Iterable<StreamOpened>,
  reported: ReturnType<ReportsOf>,
): Generator<RecordedClient> {
  const reports = new Map([...reported].map((each) => [each.client.clientId, each]));
  const open = new Map<string, StreamOpened[]>();
  for (const stream of streams) open.set(stream.clientId, [...(open.get(stream.clientId) ?? []), stream]);
  for (const [clientId, [first, ...others]] of open) {
    if (first === undefined) continue;
    const streamIds = [first, ...others].map(({ streamId }) => streamId);
    yield { clientId, node: first.node, streamIds, ...heldIn(reports.get(clientId)?.report) };
    reports.delete(clientId);
  }
  let rowsLeft = maxIdleRows;
  const idle = [...reports.values()].sort(byDescending((each) => each.report.lastChangedAt));
  for (const { client, report } of idle) {
    rowsLeft -= report.resources.size;
    if (rowsLeft < 0) return;
    yield { clientId: client.clientId, node: client.node, streamIds: [], ...heldIn(report) };
  }
}

function heldIn(report: ClientReport | undefined): Pick<RecordedClient, 'rows' | 'typeVersions'> {
  return { rows: [...(report?.resources.values() ?? [])], typeVersions: report?.typeVersions ?? [] };
}
