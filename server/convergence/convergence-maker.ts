import { LRUCache } from 'lru-cache';
import type { Observation } from '@/lib/observation/observation';
import { buildChurn } from '@/lib/view-model/churn/build-churn';
import { ChurnBook, type ChurnExtent } from '@/lib/view-model/churn/churn-book';
import { buildSpread, type Spread } from '@/lib/view-model/convergence/build-spread';
import type { ConvergenceFact } from '@/lib/view-model/convergence/convergence-fact';
import {
  type ConvergenceQuestion,
  type FoundTarget,
  findTarget,
  interestOf,
} from '@/lib/view-model/convergence/convergence-question';
import { type ClientOutcome, isStuckOutcome } from '@/lib/view-model/convergence/decide-client';
import { FactBook } from '@/lib/view-model/convergence/fact-book';
import { findPushes } from '@/lib/view-model/convergence/find-pushes';
import { judgeClients } from '@/lib/view-model/convergence/judge-clients';
import type { EpochMs } from '@/lib/xds/units';

/** Observations as they are stored: parsed here, in the worker. */
export interface ToldObservations {
  readonly draft: string;
  /** null: the newest pushes, whatever they are. */
  readonly question: ConvergenceQuestion | null;
  readonly isFirst: boolean;
  readonly observations: readonly { readonly seq: number; readonly json: string }[];
}

/** Plain data of a FoundTarget. */
export interface ToldTarget extends Omit<FoundTarget, 'target'> {
  readonly question: ConvergenceQuestion;
  readonly hash: string | null;
  readonly firstAt: EpochMs;
  readonly firstAfter?: EpochMs | null;
  /** Who saw it being sent. */
  readonly sourceIds: readonly string[];
  readonly clientIds: readonly string[];
}

export interface JudgeInput {
  readonly draft: string;
  readonly question: ConvergenceQuestion;
  /** What is known without the log: who holds the resources, and who is gone. */
  readonly extra: readonly ConvergenceFact[];
  readonly knownSince: readonly (readonly [clientId: string, at: EpochMs])[];
  /** Clients to judge; null: all. */
  readonly concerned: readonly string[] | null;
  readonly until: EpochMs;
}

export interface Judged {
  readonly spread: Spread;
  readonly outcomes: readonly ClientOutcome[];
  /** Who has not accepted, as far as is known. */
  readonly pending: readonly string[];
  readonly isCut: boolean;
}

/** "unknown": the worker was started anew meanwhile, and has forgotten. */
export type ConvergenceJobs = {
  tell: { readonly input: ToldObservations; readonly output: 'taken' | 'unknown' };
  targets: {
    readonly input: { readonly draft: string; readonly most: number };
    readonly output: readonly ToldTarget[] | 'unknown';
  };
  judge: { readonly input: JudgeInput; readonly output: Judged | 'unknown' };
  churn: { readonly input: ToldChurn; readonly output: ChurnTold | 'taken' | 'unknown' };
};

export interface ToldChurn {
  readonly draft: string;
  readonly extent: ChurnExtent;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly observations: readonly { readonly seq: number; readonly json: string }[];
}

export type ChurnTold = ReturnType<typeof buildChurn>;

interface Draft {
  readonly question: ConvergenceQuestion | null;
  readonly book: FactBook;
}

const draftsKept = 8;
/** Each may hold 100,000 resources. */
const churnsKept = 3;

/** Folds the log into who has what. MUTABLE: a draft is told in parts. */
export class ConvergenceMaker {
  private readonly drafts = new LRUCache<string, Draft>({ max: draftsKept });

  private readonly churns = new LRUCache<string, ChurnBook>({ max: churnsKept });

  readonly runners = {
    churn: (input: ToldChurn): ConvergenceJobs['churn']['output'] => this.churn(input),
    tell: (input: ToldObservations): ConvergenceJobs['tell']['output'] => this.tell(input),
    targets: (input: ConvergenceJobs['targets']['input']): ConvergenceJobs['targets']['output'] =>
      this.targets(input),
    judge: (input: JudgeInput): ConvergenceJobs['judge']['output'] => this.judge(input),
  };

  private tell({ draft: id, question, isFirst, observations }: ToldObservations): 'taken' | 'unknown' {
    if (isFirst) {
      const interest = question === null ? { typeUrl: null, name: null } : interestOf(question);
      this.drafts.set(id, { question, book: new FactBook(interest) });
    }
    const draft = this.drafts.get(id);
    if (draft === undefined) return 'unknown';
    for (const { seq, json } of observations) {
      draft.book.take({ ...(JSON.parse(json) as Observation), seq });
    }
    return 'taken';
  }

  private churn({ draft: id, extent, isFirst, isLast, observations }: ToldChurn) {
    if (isFirst) this.churns.set(id, new ChurnBook(extent));
    const book = this.churns.get(id);
    if (book === undefined) return 'unknown';
    for (const { seq, json } of observations) book.take({ ...(JSON.parse(json) as Observation), seq });
    if (!isLast) return 'taken';
    this.churns.delete(id);
    return buildChurn(book);
  }

  private targets({
    draft: id,
    most,
  }: ConvergenceJobs['targets']['input']): readonly ToldTarget[] | 'unknown' {
    const draft = this.drafts.get(id);
    if (draft === undefined) return 'unknown';
    const { question, book } = draft;
    if (question === null) {
      return findPushes(book, most).map(({ question, found, clientIds, sourceIds }) =>
        toldOf(question, found, clientIds, sourceIds),
      );
    }
    const found = findTarget(book, question);
    if (found === undefined) return [];
    const clientIds = new Set(book.clientIds);
    const sourceIds = new Set<string>();
    for (const fact of book.all()) {
      if (fact.what === 'sent' && found.target.isIt(fact)) sourceIds.add(fact.sourceId);
    }
    return [toldOf(question, found, clientIds, sourceIds)];
  }

  private judge({
    draft: id,
    question,
    extra,
    knownSince,
    concerned,
    until,
  }: JudgeInput): Judged | 'unknown' {
    const draft = this.drafts.get(id);
    if (draft === undefined) return 'unknown';
    const book = draft.book.select(interestOf(question), concerned, until);
    for (const fact of extra) if (fact.at <= until) book.add(fact);
    const found = findTarget(book, question);
    if (found === undefined) return 'unknown';
    const { target } = found;
    const outcomes = judgeClients(book, target, {
      knownSince: new Map(knownSince),
      ...(concerned !== null && { concerned: new Set(concerned) }),
    });
    const pending = outcomes.filter(isStuckOutcome).map(({ clientId }) => clientId);
    return { spread: buildSpread(outcomes, target.firstAt), outcomes, pending, isCut: book.isFull };
  }
}

function toldOf(
  question: ConvergenceQuestion,
  { target, ...rest }: FoundTarget,
  clientIds: ReadonlySet<string>,
  sourceIds: ReadonlySet<string>,
): ToldTarget {
  const { hash, firstAt, firstAfter } = target;
  const after = firstAfter === undefined ? {} : { firstAfter };
  return { ...rest, question, hash, firstAt, ...after, clientIds: [...clientIds], sourceIds: [...sourceIds] };
}
