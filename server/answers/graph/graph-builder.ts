import type { ResourceRow } from '@/lib/observation/resource-row';
import type { Body } from '../../observe';
import { openLogQueue } from '../../store/recorder/log-queue';
import type { BodySource } from '../../store/recorder/recorder';
import { Compute } from '../../workers/compute';
import type { JobQueue } from '../../workers/job-queue';
import type { HistoryExtent, Past } from '../rows/read-past';
import { supplyFromRecorder } from '../rows/reading';
import type { LiveRows, RowsNow } from '../subjects/client-subjects';
import { GraphModelBuilder } from './graph-model-builder';
import { type GraphJobs, graphJobs, type Questions, type RunGraphJob } from './graph-questions';
import { GraphRows, HistoryRows } from './graph-rows';

export interface GraphBuilderOptions {
  readonly recorder: BodySource;
  /** A client with more rows, or with more bytes in its bodies, is answered by the worker. */
  readonly inPlaceRows?: number;
  readonly inPlaceBytes?: number;
  readonly deadlineMs?: number;
  /** The threads of this process; by default threads of its own. */
  readonly compute?: Compute;
}

type RowQuestion = Exclude<keyof Questions, PastQuestion>;
type PastQuestion = 'tears' | 'failovers' | 'splitEpochs' | 'childNumbers';

interface AskedPast extends Past {
  /** Aborted when no reader waits for the answer. */
  readonly signal?: AbortSignal | undefined;
}

const builderInPlace = { listsKept: 50 };
/** The worker reads bodies and pasts in steps, between which it answers questions about other clients. */
const questionsAtOnce = 4;

/**
 * Answers questions about the graph, the effective config and the LB policies of rows. Small clients are answered on
 * the main thread, others by a worker, which reads bodies and pasts from the log itself. Each list of rows has one
 * question at a time. An answer rejects with 400 if the target of its query is not valid.
 */
export class GraphBuilder {
  readonly #options: GraphBuilderOptions;
  readonly #queue: JobQueue<GraphJobs>;
  readonly #inPlace: GraphRows;
  readonly #inWorker: GraphRows;
  readonly #histories: HistoryRows;
  #builder = new GraphModelBuilder(builderInPlace);
  /** The end of the newest question of each list, for which the next question waits. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: GraphBuilderOptions) {
    this.#options = options;
    const { recorder, deadlineMs = 60_000, compute = new Compute() } = options;
    this.#queue = openLogQueue(
      compute,
      graphJobs,
      recorder,
      {
        what: 'Graph',
        owner: 'the graph builder',
        doing: 'building the graph',
        deadlineMs,
        atOnce: questionsAtOnce,
      },
      {},
    );
    const runInPlace: RunGraphJob = (kind, input, signal) => {
      const { runners, readings } = this.#builder;
      const pending = 'pending' in input ? input.pending : undefined;
      return supplyFromRecorder({ reading: runners[kind](input), readings }, recorder, signal, pending);
    };
    const runInWorker: RunGraphJob = (kind, input, signal) => this.#queue.run(kind, input, { signal });
    this.#inPlace = new GraphRows({ run: runInPlace, listsKept: 50 });
    this.#inWorker = new GraphRows({ run: runInWorker, listsKept: 4 });
    this.#histories = new HistoryRows(runInWorker);
  }

  /**
   * Waits for its turn, updates the rows of the list, and answers. `at`: the time of rows that may change. `isLarge`:
   * the worker answers, however small the rows are.
   */
  ask<Name extends RowQuestion>(
    name: Name,
    { list, read, bodies = [] }: LiveRows,
    query: Questions[Name]['query'],
    signal?: AbortSignal,
    isLarge = false,
  ): Promise<Questions[Name]['answer'] & Pick<RowsNow, 'at'>> {
    const before = this.#turns.get(list) ?? Promise.resolve();
    const turn = before.then(async () => {
      signal?.throwIfAborted();
      const { rows: current, at } = await read();
      const isSmall = !isLarge && this.#isSmall(current);
      const unwritten = isSmall ? [] : await this.#options.recorder.readPendingBodies(hashesOf(current));
      const pending: readonly Body[] = [...bodies, ...unwritten];
      const place = isSmall ? this.#inPlace : this.#inWorker;
      const answer = await place.ask(list, current, name, query, { pending, signal });
      return at === undefined ? answer : { ...answer, at };
    });
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(list, ended);
    ended.then(() => {
      if (this.#turns.get(list) === ended) this.#turns.delete(list);
    });
    return turn;
  }

  /** Answers from the past of a client, with the extent of that past in the log. */
  askPast<Name extends PastQuestion>(
    name: Name,
    { signal, ...past }: AskedPast,
    query: Questions[Name]['query'],
  ): Promise<Questions[Name]['answer'] & HistoryExtent> {
    return this.#histories.ask(past, name, query, signal);
  }

  /** Starts the worker before the first large client is read. */
  prepare(): void {
    this.#queue.prepare();
  }

  /** Resolves when no question is being answered, after `mostMs` at the latest. */
  async whenAnswered(mostMs: number): Promise<void> {
    if (this.#turns.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, mostMs);
    });
    await Promise.race([Promise.all(this.#turns.values()), late]);
    clearTimeout(timer);
  }

  /** Drops all models of bodies. Must be called when the types by which they are decoded have changed. */
  renew(): void {
    this.#queue.renew();
    this.#builder = new GraphModelBuilder(builderInPlace);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #isSmall(rows: readonly ResourceRow[]): boolean {
    const { inPlaceRows = 2_000, inPlaceBytes = 256 * 1024 } = this.#options;
    if (rows.length > inPlaceRows) return false;
    return rows.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0) <= inPlaceBytes;
  }
}

/** Yields the hash of every body that a question about the rows may read. */
function* hashesOf(rows: readonly ResourceRow[]): Generator<string> {
  for (const { hash, errorState, controlPlane } of rows) {
    for (const each of [hash, errorState?.failedHash, controlPlane?.hash]) if (each != null) yield each;
  }
}
