import { randomUUID } from 'node:crypto';
import type { ChurnExtent } from '@/lib/churn/churn-index';
import type { ConvergenceQuestion } from '@/lib/convergence/convergence-question';
import type { World } from '@/lib/observation/fold';
import type { SourceDirectory } from '@/lib/observation/source-directory';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import { joinScopes } from '@/lib/views/fleet/join-scopes';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError } from '../../api-error';
import { openLogQueue } from '../../store/recorder/log-queue';
import type { Recorder } from '../../store/recorder/recorder';
import { Compute } from '../../workers/compute';
import type { JobQueue } from '../../workers/job-queue';
import {
  type ChurnReported,
  type ConvergenceJobs,
  convergenceJobs,
  type ImportedFiles,
  type RecentTargets,
  type ReportedTarget,
  type ServerAddresses,
  type Validated,
} from './convergence-builder';
import { findHolders } from './find-holders';

interface ConvergenceReaderOptions {
  readonly recorder: Pick<Recorder, 'file' | 'noteDamage'>;
  readonly world: World;
  readonly sources: Pick<SourceDirectory, 'list'>;
  readonly freshnessOf: FreshnessOf;
  /** The threads of this process; by default threads of its own. */
  readonly compute?: Compute;
}

export interface Extent {
  /** The oldest time that is read, by default the beginning of the log. */
  readonly from?: EpochMs;
  readonly until: EpochMs;
  /** If `until` is now, the current state of the sources is part of the answer. */
  readonly isNow: boolean;
}

export interface ConvergenceFound {
  readonly reported: ReportedTarget;
  readonly validated: Validated;
  /** The log has more than was read. */
  readonly isCut: boolean;
}

/** Limits the observations for one question. */
const mostObservations = 100_000;
/** Limits the clients that have not accepted and are read beyond `mostObservations`. */
const mostPending = 300;
const pendingObservations = 500;
/** Limits the observations of a type before a version, which show what clients had before it. */
const earlierObservations = 5_000;
/** Limits the names per push in the list of pushes. */
const recentNames = 16;

/** Answers questions about rollouts in a worker, which reads the log itself, off the event loop. */
export class ConvergenceReader {
  readonly #options: ConvergenceReaderOptions;
  readonly #queue: JobQueue<ConvergenceJobs>;

  constructor(options: ConvergenceReaderOptions) {
    this.#options = options;
    const { recorder, compute = new Compute() } = options;
    this.#queue = openLogQueue(
      compute,
      convergenceJobs,
      recorder,
      { what: 'Convergence', owner: 'the reader of convergence', doing: 'reading who has accepted what' },
      {},
    );
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  /** Returns undefined if the log has no such version or resource. Stops between two steps once `signal` is aborted. */
  async find(
    question: ConvergenceQuestion,
    extent: Extent,
    signal?: AbortSignal,
  ): Promise<ConvergenceFound | undefined> {
    const draft = new Draft(this.#queue, question, this.#logContext(), signal);
    const { from, until } = extent;
    const typeUrls = [question.typeUrl];
    const about =
      question.kind === 'resource' ? { resourceName: question.name } : { version: question.version };
    const isCut = await draft.read([{ ...about, typeUrls, from, to: until }], mostObservations);
    const [reported] = await draft.targets(1);
    if (reported === undefined) return undefined;
    if (question.kind === 'version') {
      const earlier = { typeUrls, from, to: reported.firstAt - 1, order: 'desc' } as const;
      await draft.read([earlier], earlierObservations);
    }
    const first = await this.#validate(draft, reported, extent, null);
    if (first.pending.length === 0) return { reported, validated: first, isCut };
    const pending = first.pending.slice(0, mostPending);
    await draft.read(
      pending.map((clientId) => ({ clientId, from: reported.firstAt, to: until })),
      pendingObservations,
    );
    return { reported, validated: await this.#validate(draft, reported, extent, null), isCut };
  }

  /** Returns the newest pushes. `from` is the oldest time that was read, or null for the beginning of the log. */
  async recent(
    extent: Extent,
    most: number,
    signal?: AbortSignal,
  ): Promise<{ readonly found: readonly ConvergenceFound[]; readonly from: EpochMs | null }> {
    const draft = new Draft(this.#queue, null, this.#logContext(), signal);
    const { targets, from } = await draft.recent({ from: extent.from, until: extent.until, most });
    const found: ConvergenceFound[] = [];
    for (const reported of targets) {
      const validated = await this.#validate(
        draft,
        { ...reported, names: reported.names.slice(0, recentNames) },
        extent,
        reported,
      );
      found.push({ reported, validated, isCut: validated.isCut });
    }
    return { found, from };
  }

  /** Counts what was sent and what changed between two times. */
  churn(extent: ChurnExtent, clientId: string | undefined, signal?: AbortSignal): Promise<ChurnReported> {
    return this.#queue.run('churn', { extent, clientId }, { signal });
  }

  #logContext(): LogContext {
    const addresses = new Map<string, string>();
    for (const { sourceId, server } of this.#options.sources.list()) {
      if (server !== undefined) addresses.set(sourceId, server);
    }
    const files = new Set<string>();
    for (const { reports } of this.#options.world.values()) {
      for (const { sourceId, vantage } of reports.values()) if (vantage === 'dump') files.add(sourceId);
    }
    return { addresses, files };
  }

  /** `concerned` are clients to evaluate, with clients that hold the same content; null means all of the draft. */
  #validate(
    draft: Draft,
    reported: ReportedTarget,
    { until, isNow }: Extent,
    concerned: Pick<ReportedTarget, 'clientIds'> | null,
  ): Promise<Validated> {
    const { world, freshnessOf } = this.#options;
    const { typeUrl } = reported.question;
    const { names, sourceIds, clientIds } = reported;
    const holders = findHolders(world, freshnessOf, {
      ...{ typeUrl, names, sourceIds, clientIds },
      withoutPolled: reported.servers.length > 1,
      now: isNow ? until : null,
    });
    const all = new Set([...clientIds, ...holders.clientIds]);
    const knownSince = [...all].flatMap((clientId) => {
      const reports = [...(world.get(clientId)?.reports.values() ?? [])].filter(
        ({ side }) => side === 'client',
      );
      if (reports.length === 0) return [];
      return [[clientId, Math.min(...reports.map(({ firstSeenAt }) => firstSeenAt))] as const];
    });
    return draft.validate({
      ...{ question: pinned(reported), extra: holders.facts, knownSince, wholeOf: findWholes(world), until },
      concerned: concerned === null ? null : [...all],
    });
  }
}

/** Returns the client of the whole process for each scope; see joinScopes. */
function findWholes(world: World): (readonly [scopeId: string, wholeId: string])[] {
  const clients = [...world.values()];
  if (clients.every(({ scope }) => scope === '')) return [];
  const links = joinScopes(
    clients.map(({ clientId, node, scope, reports }) => {
      return { id: clientId, nodeId: node.id, scope, reports: [...reports.values()] };
    }),
  );
  return [...links].flatMap(([id, link]) =>
    link.kind === 'scope' && link.wholeId !== undefined ? [[id, link.wholeId] as const] : [],
  );
}

/** Returns the question with the server and hash that were found, so that later facts do not change its subject. */
function pinned({ question, server, hash }: ReportedTarget): ConvergenceQuestion {
  if (question.kind === 'resource') return hash === null ? question : { ...question, hash };
  return server === undefined ? question : { ...question, server };
}

interface LogContext {
  readonly addresses: ServerAddresses;
  readonly files: ImportedFiles;
}

class Draft {
  readonly #queue: JobQueue<ConvergenceJobs>;
  readonly #question: ConvergenceQuestion | null;
  readonly #context: LogContext;
  readonly #signal: AbortSignal | undefined;
  readonly #draft = randomUUID();
  #isFirst = true;

  constructor(
    queue: JobQueue<ConvergenceJobs>,
    question: ConvergenceQuestion | null,
    context: LogContext,
    signal: AbortSignal | undefined,
  ) {
    this.#queue = queue;
    this.#question = question;
    this.#context = context;
    this.#signal = signal;
  }

  /** Reads all matching observations, oldest first. Resolves to whether the log has more than `most` of any filter. */
  async read(filters: ConvergenceJobs['read']['input']['filters'], most: number): Promise<boolean> {
    const draft = this.#draft,
      question = this.#question,
      isFirst = this.#isFirst,
      context = this.#context;
    this.#isFirst = false;
    return known(await this.#run('read', { draft, question, isFirst, ...context, filters, most })).isCut;
  }

  recent(
    input: Omit<ConvergenceJobs['recent']['input'], 'draft' | keyof LogContext>,
  ): Promise<RecentTargets> {
    return this.#run('recent', { draft: this.#draft, ...this.#context, ...input });
  }

  async targets(most: number): Promise<readonly ReportedTarget[]> {
    return known(await this.#run('targets', { draft: this.#draft, most }));
  }

  async validate(input: Omit<ConvergenceJobs['validate']['input'], 'draft'>): Promise<Validated> {
    return known(await this.#run('validate', { draft: this.#draft, ...input }));
  }

  #run<K extends keyof ConvergenceJobs>(
    kind: K,
    input: ConvergenceJobs[K]['input'],
  ): Promise<ConvergenceJobs[K]['output']> {
    return this.#queue.run(kind, input, { signal: this.#signal });
  }
}

function known<T>(answer: T | 'unknown'): T {
  if (answer !== 'unknown') return answer;
  throw new ApiError(503, 'Convergence not available', 'the worker was restarted; try again');
}
