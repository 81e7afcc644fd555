import type { References } from '@/lib/api/resolved';
import type { Graph, ResourceLinks } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ResourceKey } from '@/lib/observation/observation';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { ApiError, badRequest } from '../../api-error';
import type { Body, Clock } from '../../observe';
import { damagedCode } from '../../recorder/damaged-file';
import type { BodySource } from '../../recorder/recorder';
import type { LiveRows } from '../../subjects/live-rows';
import { JobQueue } from '../../workers/job-queue';
import type { LbTreeAnswer, LbTreeQuestion, PlayAnswer, PlayQuestion } from '../failover/failover-builder';
import {
  answerOf,
  type ChildNumbersOutcome,
  type ChildNumbersQuestion,
  type DrawQuery,
  type FailoversOutcome,
  type FailoversQuestion,
  type ResolvedAnswer,
  type ResolverQuestion,
  type TearsOutcome,
  type TearsQuestion,
} from '../resolved/resolved-questions';
import type { ReferencesPage } from '../resources/references-page';
import type { HistoryExtent } from '../rows/read-past';
import { supplyFromRecorder } from '../rows/reading';
import { type Asked, type GraphJobs, GraphModelBuilder, type MadeOfConfig } from './graph-model-builder';
import { GraphRows } from './graph-rows';
import type { GraphWorkerData } from './graph-worker';
import { type HistoryQuestion, HistoryRows } from './history-rows';
import type { RunGraphJob } from './run-graph-job';

export interface GraphBuilderOptions {
  readonly recorder: BodySource;
  readonly clock: Clock;
  /** More rows, or more bytes in them, and the graph is made in the worker. */
  readonly inPlaceRows?: number;
  readonly inPlaceBytes?: number;
  readonly deadlineMs?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

/** Short turns: the event loop serves others in between. */
const builderInPlace = { listsKept: 50 };
/** The worker reads bodies and pasts in steps: a question about another client is answered between them. */
const questionsAtOnce = 4;

interface AskedList {
  readonly list: string;
  readonly version: number;
  readonly pending: readonly Body[];
}

type Reported<Outcome> = Exclude<Outcome, { kind: 'bad' }> & HistoryExtent;

/**
 * Rows -> graph and links. Of large clients in a worker thread, which reads bodies and pasts out of the log itself; one
 * question at a time for each list of rows.
 */
export class GraphBuilder {
  private readonly queue: JobQueue<GraphJobs>;
  private readonly inPlace: GraphRows;
  private readonly inWorker: GraphRows;
  private readonly histories: HistoryRows;
  private builder = new GraphModelBuilder(builderInPlace);
  /** By list: the newest question, which others wait for. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(private readonly options: GraphBuilderOptions) {
    const { recorder, deadlineMs = 60_000, workerProgram: file } = options;
    this.queue = new JobQueue<GraphJobs>({
      program: {
        name: 'graph-worker',
        file,
        data: { file: recorder.file } satisfies GraphWorkerData,
        maxHeapMb: 2048,
        youngHeapMb: 192,
      },
      owner: 'the graph builder',
      doing: 'building the graph',
      deadlineMs,
      atOnce: questionsAtOnce,
      errorOf: (message, code) => {
        if (code === damagedCode) recorder.noteDamage(message);
        return new ApiError(503, 'Graph not available', message);
      },
    });
    const runInPlace: RunGraphJob = (kind, input, signal) => {
      const { runners, readings } = this.builder;
      return supplyFromRecorder({ reading: runners[kind](input), readings }, recorder, signal);
    };
    const runInWorker: RunGraphJob = (kind, input, signal) => this.queue.run(kind, input, { signal });
    this.inPlace = new GraphRows({ run: runInPlace, listsKept: 50 });
    this.inWorker = new GraphRows({ run: runInWorker, listsKept: 4 });
    this.histories = new HistoryRows(runInWorker);
  }

  async build(clientId: string, source: LiveRows, query: DrawQuery, signal?: AbortSignal): Promise<Graph> {
    const drawn = await this.ask(source, signal, (run, asked) => run('graph', { ...asked, query }, signal));
    return { clientId, at: formatIsoTime(this.options.clock.now()), ...drawn };
  }

  links(source: LiveRows, key: ResourceKey, signal?: AbortSignal): Promise<ResourceLinks> {
    return this.ask(source, signal, (run, asked) => run('links', { ...asked, key }, signal));
  }

  /** gRFC A74: what the client makes of the rows. */
  async resolve(source: LiveRows, query: ResolverQuestion, signal?: AbortSignal): Promise<ResolvedAnswer> {
    return answerOf(
      await this.ask(source, signal, (run, asked) => run('resolved', { ...asked, query }, signal)),
    );
  }

  /** The policies that a client builds for one of its clusters. */
  async lbTree(
    source: LiveRows,
    query: ResolverQuestion,
    about: LbTreeQuestion,
    signal?: AbortSignal,
  ): Promise<LbTreeAnswer> {
    return madeOf(
      await this.ask(source, signal, (run, asked) => run('lbTree', { ...asked, query, about }, signal)),
    );
  }

  /** Where the requests of a cluster go, and would go. */
  async failover(
    source: LiveRows,
    query: ResolverQuestion,
    about: PlayQuestion,
    signal?: AbortSignal,
  ): Promise<PlayAnswer> {
    return madeOf(
      await this.ask(source, signal, (run, asked) => run('failover', { ...asked, query, about }, signal)),
    );
  }

  /** References that lead nowhere, or resources that nothing leads to. */
  references(source: LiveRows, page: ReferencesPage, signal?: AbortSignal): Promise<References> {
    return this.ask(source, signal, (run, asked) => run('references', { ...asked, page }, signal));
  }

  /** Where a client's history did not fit together. */
  async tears(past: HistoryQuestion, query: TearsQuestion): Promise<Reported<TearsOutcome>> {
    return goodOf(
      await this.histories.ask(past, (run) => run('tears', { ...listOf(past), query }, past.signal)),
    );
  }

  /** By cluster: how the children of its priorities are numbered after all that the log reports. */
  async childNumbers(
    past: HistoryQuestion,
    query: ChildNumbersQuestion,
  ): Promise<Reported<ChildNumbersOutcome>> {
    return goodOf(
      await this.histories.ask(past, (run) => run('childNumbers', { ...listOf(past), query }, past.signal)),
    );
  }

  /** Which priority of a cluster carried traffic when. */
  async failovers(past: HistoryQuestion, query: FailoversQuestion): Promise<Reported<FailoversOutcome>> {
    return goodOf(
      await this.histories.ask(past, (run) => run('failovers', { ...listOf(past), query }, past.signal)),
    );
  }

  /** A large client is about to come, and somebody who waits for its graph. */
  prepare(): void {
    this.queue.prepare();
  }

  /** Resolves when nobody waits for an answer any more, after `mostMs` at the latest. */
  async whenAnswered(mostMs: number): Promise<void> {
    if (this.turns.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, mostMs);
    });
    await Promise.race([Promise.all(this.turns.values()), late]);
    clearTimeout(timer);
  }

  /** Models of bodies are made anew: the types that they are decoded by have changed. */
  renew(): void {
    this.queue.renew();
    this.builder = new GraphModelBuilder(builderInPlace);
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  /** Waits for its turn, brings the rows up to date, and asks. */
  private ask<T>(
    { list, rows }: LiveRows,
    signal: AbortSignal | undefined,
    question: (run: RunGraphJob, asked: AskedList) => Promise<Asked<T>>,
  ): Promise<T> {
    const before = this.turns.get(list) ?? Promise.resolve();
    const turn = before.then(async () => {
      signal?.throwIfAborted();
      const current = await rows();
      const place = this.isSmall(current) ? this.inPlace : this.inWorker;
      const pending =
        place === this.inPlace ? [] : this.options.recorder.findPendingBodies(hashesOf(current));
      return place.ask(list, current, (run, version) => question(run, { list, version, pending }), signal);
    });
    // Who comes next waits for the end, whichever it is; the request that failed receives the error.
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.turns.set(list, ended);
    ended.then(() => {
      if (this.turns.get(list) === ended) this.turns.delete(list);
    });
    return turn;
  }

  private isSmall(rows: readonly ResourceRow[]): boolean {
    const { inPlaceRows = 2_000, inPlaceBytes = 256 * 1024 } = this.options;
    if (rows.length > inPlaceRows) return false;
    return rows.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0) <= inPlaceBytes;
  }
}

function madeOf<T>(outcome: MadeOfConfig<T>): T {
  if (outcome.kind === 'made') return outcome.made;
  throw badRequest(outcome.message);
}

function goodOf<T extends { readonly kind: string }>(outcome: T): Exclude<T, { kind: 'bad' }> {
  if (isBad(outcome)) throw badRequest(outcome.message);
  return outcome as Exclude<T, { kind: 'bad' }>;
}

function isBad(outcome: { readonly kind: string }): outcome is { kind: 'bad'; message: string } {
  return outcome.kind === 'bad';
}

/** A past does not change. */
function listOf({ list }: HistoryQuestion): Pick<AskedList, 'list' | 'version'> {
  return { list, version: 0 };
}

/** Of every body that a question about the rows may read. */
function* hashesOf(rows: readonly ResourceRow[]): Generator<string> {
  for (const { hash, errorState, controlPlane } of rows) {
    for (const each of [hash, errorState?.failedHash, controlPlane?.hash]) if (each != null) yield each;
  }
}
