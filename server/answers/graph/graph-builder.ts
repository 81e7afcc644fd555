import type { References } from '@/lib/api/resolved';
import type { Graph, ResourceLinks, ResourceRow } from '@/lib/api/schema';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ChildNumbers } from '@/lib/lb/grpc/child-numbers';
import type { ResourceKey } from '@/lib/observation/observation';
import { ApiError, badRequest } from '../../api/api-error';
import type { Clock } from '../../observe';
import type { Recorder } from '../../recorder/recorder';
import { JobQueue } from '../../workers/job-queue';
import type { LbTreeAnswer, LbTreeQuestion, PlayAnswer, PlayQuestion } from '../failover/failover-builder';
import { type HistoryExtent, type HistoryQuestion, HistoryRows } from '../history/history-rows';
import {
  answerOf,
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
import { type Asked, type GraphJobs, GraphModelBuilder, type MadeOfConfig } from './graph-model-builder';
import { GraphRows } from './graph-rows';
import type { RunGraphJob } from './run-graph-job';

export interface GraphBuilderOptions {
  readonly recorder: Pick<Recorder, 'readBodies' | 'readHistoryBase' | 'readObservationTexts'>;
  readonly clock: Clock;
  /** More rows, or more bytes in them, and the graph is made in the worker. */
  readonly inPlaceRows?: number;
  readonly inPlaceBytes?: number;
  readonly deadlineMs?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

/** Rows that change: whoever waits for a graph gets the one of the rows as they are when its turn comes. */
export interface LiveRows {
  /** The list keeps its name over all changes, so that only what changed is looked at. */
  readonly list: string;
  readonly rows: () => readonly ResourceRow[] | Promise<readonly ResourceRow[]>;
}

/** Short turns: the event loop serves others in between. */
const builderInPlace = { listsKept: 50, bodiesPerTurn: 50 };

/** Rows -> graph and links. Of large clients in a worker thread, one at a time for each list of rows. */
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
      program: { name: 'graph-worker', file, data: null, maxHeapMb: 2048, youngHeapMb: 192 },
      owner: 'the graph builder',
      doing: 'building the graph',
      deadlineMs,
      errorOf: (message) => new ApiError(503, 'Graph not available', message),
    });
    const runInPlace: RunGraphJob = async (kind, input) => this.builder.runners[kind](input);
    this.inPlace = new GraphRows({ run: runInPlace, recorder, listsKept: 50 });
    this.histories = new HistoryRows({ run: (kind, input) => this.queue.run(kind, input), recorder });
    this.inWorker = new GraphRows({
      run: (kind, input) => this.queue.run(kind, input),
      recorder,
      listsKept: 4,
    });
  }

  async build(clientId: string, source: LiveRows, query: DrawQuery): Promise<Graph> {
    const drawn = await this.ask(source, (list) => (run, version) => run('graph', { list, version, query }));
    return { clientId, at: formatIsoTime(this.options.clock.now()), ...drawn };
  }

  links(source: LiveRows, key: ResourceKey): Promise<ResourceLinks> {
    return this.ask(source, (list) => (run, version) => run('links', { list, version, key }));
  }

  /** gRFC A74: what the client makes of the rows. */
  async resolve(source: LiveRows, query: ResolverQuestion): Promise<ResolvedAnswer> {
    return answerOf(
      await this.ask(source, (list) => (run, version) => run('resolved', { list, version, query })),
    );
  }

  /** The policies that a client builds for one of its clusters. */
  async lbTree(source: LiveRows, query: ResolverQuestion, about: LbTreeQuestion): Promise<LbTreeAnswer> {
    const asked = await this.ask(
      source,
      (list) => (run, version) => run('lbTree', { list, version, query, about }),
    );
    return madeOf(asked);
  }

  /** Where the requests of a cluster go, and would go. */
  async failover(source: LiveRows, query: ResolverQuestion, about: PlayQuestion): Promise<PlayAnswer> {
    const asked = await this.ask(
      source,
      (list) => (run, version) => run('failover', { list, version, query, about }),
    );
    return madeOf(asked);
  }

  /** Where a client's history did not fit together. */
  async tears(
    question: HistoryQuestion,
    query: TearsQuestion,
  ): Promise<Exclude<TearsOutcome, { kind: 'bad' }> & HistoryExtent> {
    const { list } = question;
    const outcome = await this.histories.ask(question, (run, version) =>
      run('tears', { list, version, query }),
    );
    if (outcome.kind === 'bad') throw badRequest(outcome.message);
    return outcome;
  }

  /** By cluster: how the children of its priorities are numbered after all that the log reports. */
  async childNumbers(
    question: HistoryQuestion,
    query: ChildNumbersQuestion,
  ): Promise<HistoryExtent & { readonly numbers: ReadonlyMap<string, ChildNumbers> }> {
    const { list } = question;
    const outcome = await this.histories.ask(question, (run, version) =>
      run('childNumbers', { list, version, query }),
    );
    if (outcome.kind === 'bad') throw badRequest(outcome.message);
    return outcome;
  }

  /** Which priority of a cluster carried traffic when. */
  async failovers(
    question: HistoryQuestion,
    query: FailoversQuestion,
  ): Promise<Exclude<FailoversOutcome, { kind: 'bad' }> & HistoryExtent> {
    const { list } = question;
    const outcome = await this.histories.ask(question, (run, version) =>
      run('failovers', { list, version, query }),
    );
    if (outcome.kind === 'bad') throw badRequest(outcome.message);
    return outcome;
  }

  /** References that lead nowhere, or resources that nothing leads to. */
  references(source: LiveRows, page: ReferencesPage): Promise<References> {
    return this.ask(source, (list) => (run, version) => run('references', { list, version, page }));
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
    questionOn: (list: string) => (run: RunGraphJob, version: number) => Promise<Asked<T>>,
  ): Promise<T> {
    const before = this.turns.get(list) ?? Promise.resolve();
    const turn = before.then(async () => {
      const current = await rows();
      const place = this.isSmall(current) ? this.inPlace : this.inWorker;
      return place.ask(list, current, questionOn(list));
    });
    // Who comes next waits for the end, whichever it is; the error is instructed to who asked.
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
