import { randomUUID } from 'node:crypto';
import type { World } from '@/lib/observation/fold';
import { type ChurnExtent, churnKinds } from '@/lib/view-model/churn/churn-book';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import type { ConvergenceQuestion } from '@/lib/view-model/convergence/convergence-question';
import { convergenceKinds } from '@/lib/view-model/convergence/read-facts';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError } from '../api/api-error';
import type { HistoryFilter } from '../recorder/history-query';
import type { Recorder } from '../recorder/recorder';
import { WorkerQueue } from '../threads/worker-queue';
import type { ChurnTold, ConvergenceJobs, Judged, ToldTarget } from './convergence-maker';
import { findHolders } from './find-holders';

export interface ConvergenceReaderOptions {
  readonly recorder: Pick<Recorder, 'readHistory' | 'readObservationTexts'>;
  readonly world: World;
  readonly freshnessOf: FreshnessOf;
  readonly deadlineMs?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

export interface Extent {
  /** What is older is not looked at; not there: all that the log holds. */
  readonly from?: EpochMs;
  readonly until: EpochMs;
  /** `until` is now: how sources are now is part of the answer. */
  readonly isNow: boolean;
}

export interface ConvergenceFound {
  readonly told: ToldTarget;
  readonly judged: Judged;
  /** Not all that there is was read. */
  readonly isCut: boolean;
}

const pageObservations = 500;
const churnPage = 1_000;
/** A day of a large mesh. */
const mostChurnObservations = 1_000_000;
/** Read for one question. */
const mostObservations = 100_000;
/** Clients that have not accepted: so many are looked after further, and so far. */
const mostPending = 300;
const pendingObservations = 500;
const mostRecentObservations = 20_000;
/** Of a push's resources, in the list of pushes. */
const recentNames = 16;

/** Reads the log about who has what; what it says is folded in a worker. */
export class ConvergenceReader {
  private readonly queue: WorkerQueue<ConvergenceJobs>;

  constructor(private readonly options: ConvergenceReaderOptions) {
    this.queue = new WorkerQueue<ConvergenceJobs>({
      name: 'convergence-worker',
      owner: 'the reader of convergence',
      doing: 'reading who has accepted what',
      data: null,
      deadlineMs: options.deadlineMs ?? 60_000,
      program: options.workerProgram,
      maxHeapMb: 1024,
      errorOf: (message) => new ApiError(503, 'Convergence not available', message),
    });
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  /** undefined: nobody has seen it. */
  async find(question: ConvergenceQuestion, extent: Extent): Promise<ConvergenceFound | undefined> {
    const draft = new DraftTeller(this.queue, question);
    const { from, until } = extent;
    const typeUrls = [question.typeUrl];
    const about =
      question.kind === 'resource' ? { resourceName: question.name } : { version: question.version };
    const isCut = await this.tell(draft, { ...about, typeUrls, from, to: until }, mostObservations);
    const [told] = await draft.targets(1);
    if (told === undefined) return undefined;
    const first = await this.judge(draft, told, extent, null);
    if (first.pending.length === 0) return { told, judged: first, isCut };
    for (const clientId of first.pending.slice(0, mostPending)) {
      await this.tell(draft, { clientId, from: told.firstAt, to: until }, pendingObservations);
    }
    return { told, judged: await this.judge(draft, told, extent, null), isCut };
  }

  /** The newest pushes; `from`: how far back the log was read for them; null: to its beginning. */
  async recent(
    extent: Extent,
    most: number,
  ): Promise<{ readonly found: readonly ConvergenceFound[]; readonly from: EpochMs | null }> {
    const draft = new DraftTeller(this.queue, null);
    const { until } = extent;
    let from: EpochMs | null = null;
    let targets: readonly ToldTarget[] = [];
    let beforeSeq: number | undefined;
    for (let read = 0; read < mostRecentObservations; ) {
      const page = await this.options.recorder.readHistory({
        ...{ kinds: convergenceKinds, from: extent.from, to: until },
        ...{ beforeSeq, limit: pageObservations, order: 'desc' },
      });
      const oldest = page.at(-1);
      if (oldest === undefined) {
        from = null;
        break;
      }
      read += page.length;
      beforeSeq = oldest.seq;
      from = (JSON.parse(oldest.json) as { readonly at: EpochMs }).at;
      await draft.tell(page);
      // The oldest of what was read may have begun before it.
      targets = await draft.targets(most * 2);
      if (targets.length >= most * 2) break;
    }
    targets = (await draft.targets(most)).filter((told) => from === null || told.firstAt > from);
    const found: ConvergenceFound[] = [];
    for (const told of targets) {
      const judged = await this.judge(
        draft,
        { ...told, names: told.names.slice(0, recentNames) },
        extent,
        told,
      );
      found.push({ told, judged, isCut: judged.isCut });
    }
    return { found, from };
  }

  /** What was sent and changed between two moments. `read`: in observations. */
  async churn(
    extent: ChurnExtent,
    clientId: string | undefined,
  ): Promise<{ readonly told: ChurnTold; readonly read: number; readonly isCut: boolean }> {
    const { recorder } = this.options;
    const draft = randomUUID();
    const [first] = await recorder.readHistory({
      ...{ kinds: churnKinds, clientId, from: extent.from, to: extent.until },
      ...{ limit: 1, order: 'asc' },
    });
    let afterSeq = first === undefined ? null : first.seq - 1;
    let isFirst = true;
    let read = 0;
    while (afterSeq !== null && read < mostChurnObservations) {
      const query = { kinds: churnKinds, clientId, afterSeq, limit: churnPage, order: 'asc' } as const;
      const page = await recorder.readObservationTexts(query);
      const last = page.at(-1);
      if (last === undefined) {
        afterSeq = null;
        break;
      }
      read += page.length;
      const observations = page.map(({ seq, json }) => ({ seq, json }));
      known(await this.queue.run('churn', { draft, extent, isFirst, isLast: false, observations }));
      isFirst = false;
      afterSeq = last.at > extent.until ? null : last.seq;
    }
    const told = known(
      await this.queue.run('churn', { draft, extent, isFirst, isLast: true, observations: [] }),
    );
    if (told === 'taken') throw new Error('the churn was not told, though it was asked for');
    return { told, read, isCut: afterSeq !== null };
  }

  /** `concerned`: whose clients are judged, with those that hold the same; null: everybody in the draft. */
  private judge(
    draft: DraftTeller,
    told: ToldTarget,
    { until, isNow }: Extent,
    concerned: Pick<ToldTarget, 'clientIds'> | null,
  ): Promise<Judged> {
    const { world, freshnessOf } = this.options;
    const { typeUrl } = told.question;
    const { names, sourceIds, clientIds } = told;
    const holders = findHolders(world, freshnessOf, {
      ...{ typeUrl, names, sourceIds, clientIds },
      withoutPolled: told.servers.length > 1,
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
    return draft.judge({
      ...{ question: pinned(told), extra: holders.facts, knownSince, until },
      concerned: concerned === null ? null : [...all],
    });
  }

  /** Everything that matches, oldest first. Resolves to whether there was more than `most`. */
  private async tell(draft: DraftTeller, filter: HistoryFilter, most: number): Promise<boolean> {
    let afterSeq = 0;
    for (let read = 0; read < most; ) {
      const limit = Math.min(pageObservations, most - read);
      const query = { ...filter, kinds: convergenceKinds, afterSeq, limit, order: 'asc' } as const;
      const page = await this.options.recorder.readHistory(query);
      await draft.tell(page);
      const last = page.at(-1);
      if (last === undefined) return false;
      read += page.length;
      afterSeq = last.seq;
    }
    return true;
  }
}

/** The question with what was found for it said: what else becomes known must not lead to another one. */
function pinned({ question, server, hash }: ToldTarget): ConvergenceQuestion {
  if (question.kind === 'resource') return hash === null ? question : { ...question, hash };
  return server === null ? question : { ...question, server };
}

/** One draft in the worker. */
class DraftTeller {
  private readonly draft = randomUUID();
  private isFirst = true;

  constructor(
    private readonly queue: WorkerQueue<ConvergenceJobs>,
    private readonly question: ConvergenceQuestion | null,
  ) {}

  async tell(observations: readonly { readonly seq: number; readonly json: string }[]): Promise<void> {
    const { draft, question, isFirst } = this;
    this.isFirst = false;
    const told = observations.map(({ seq, json }) => ({ seq, json }));
    known(await this.queue.run('tell', { draft, question, isFirst, observations: told }));
  }

  async targets(most: number): Promise<readonly ToldTarget[]> {
    return known(await this.queue.run('targets', { draft: this.draft, most }));
  }

  async judge(input: Omit<ConvergenceJobs['judge']['input'], 'draft'>): Promise<Judged> {
    return known(await this.queue.run('judge', { draft: this.draft, ...input }));
  }
}

function known<T>(answer: T | 'unknown'): T {
  if (answer !== 'unknown') return answer;
  throw new ApiError(503, 'Convergence not available', 'what was read of the log was lost; ask again');
}
