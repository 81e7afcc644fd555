import { LRUCache } from 'lru-cache';
import { type ChurnExtent, ChurnIndex } from '@/lib/churn/churn-index';
import { buildSpread, type Spread } from '@/lib/convergence/build-spread';
import { classifyClients, withoutScopes } from '@/lib/convergence/classify-clients';
import type { ConvergenceFact } from '@/lib/convergence/convergence-fact';
import {
  type ConvergenceQuestion,
  type FoundTarget,
  findTarget,
  interestOf,
} from '@/lib/convergence/convergence-question';
import { type ClientOutcome, isStuckOutcome } from '@/lib/convergence/decide-client';
import { FactIndex } from '@/lib/convergence/fact-index';
import { findPushChanges, type PushChanges } from '@/lib/convergence/find-push-changes';
import { findPushes } from '@/lib/convergence/find-pushes';
import { convergenceKinds } from '@/lib/convergence/read-facts';
import type { AwaitingSteps } from '@/lib/cooperative/steps';
import type { Recorded } from '@/lib/observation/observation';
import { buildChurn } from '@/lib/views/churn/build-churn';
import type { EpochMs } from '@/lib/xds/units';
import type { HistoryFilter } from '../../store/history-query';
import type { LogReader } from '../../store/recorder/log-reader';
import { readChurn, readLog } from '../../store/recorder/read-log';
import type { DataFile, JobSet } from '../../workers/compute';

/** The matching observations that are read into a draft. */
interface ObservationsToRead {
  readonly draft: string;
  /** null selects the newest pushes of any resource. */
  readonly question: ConvergenceQuestion | null;
  readonly isFirst: boolean;
  readonly addresses: ServerAddresses;
  readonly files: ImportedFiles;
  /** By default the oldest observations are read first. */
  readonly filters: readonly (Omit<HistoryFilter, 'kinds'> & { readonly order?: 'asc' | 'desc' })[];
  /** Limits the observations per filter. */
  readonly most: number;
}

/** The server whose responses each source observes. */
export type ServerAddresses = ReadonlyMap<string, string>;

/** Source ids of the files that are imported at present. */
export type ImportedFiles = ReadonlySet<string>;

interface RecentInput {
  readonly draft: string;
  readonly addresses: ServerAddresses;
  readonly files: ImportedFiles;
  readonly from?: EpochMs;
  readonly until: EpochMs;
  readonly most: number;
}

export interface RecentTargets {
  readonly targets: readonly ReportedTarget[];
  /** The oldest time that was read, or null for the beginning of the log. */
  readonly from: EpochMs | null;
}

/** A FoundTarget as plain data, for the worker's messages. */
export interface ReportedTarget extends Omit<FoundTarget, 'target'> {
  readonly question: ConvergenceQuestion;
  readonly hash: string | null;
  readonly firstAt: EpochMs;
  readonly firstAfter?: EpochMs | null;
  /** The sources that observed that the server sent it. */
  readonly sourceIds: readonly string[];
  readonly clientIds: readonly string[];
}

interface ValidationInput {
  readonly draft: string;
  readonly question: ConvergenceQuestion;
  /** Facts that are not in the log: which clients hold the resources now, and which are no longer reported. */
  readonly extra: readonly ConvergenceFact[];
  readonly knownSince: readonly (readonly [clientId: string, at: EpochMs])[];
  /** Scopes (gRFC A71) and the client of the whole process that a tap reports. */
  readonly wholeOf: readonly (readonly [scopeId: string, wholeId: string])[];
  /** The clients to evaluate, or null for all. */
  readonly concerned: readonly string[] | null;
  readonly until: EpochMs;
}

export interface Validated {
  readonly spread: Spread;
  readonly outcomes: readonly ClientOutcome[];
  readonly changes: PushChanges;
  /** Clients that have not accepted as far as the log was read. */
  readonly pending: readonly string[];
  readonly isCut: boolean;
}

/** "unknown" means that the worker was restarted and no longer has the draft. */
export type ConvergenceJobs = {
  /** Returns whether the log has more matching observations. */
  read: { readonly input: ObservationsToRead; readonly output: { readonly isCut: boolean } | 'unknown' };
  recent: { readonly input: RecentInput; readonly output: RecentTargets };
  targets: {
    readonly input: { readonly draft: string; readonly most: number };
    readonly output: readonly ReportedTarget[] | 'unknown';
  };
  validate: { readonly input: ValidationInput; readonly output: Validated | 'unknown' };
  churn: { readonly input: ChurnInput; readonly output: ChurnReported };
};

export const convergenceJobs: JobSet<'convergence', DataFile, ConvergenceJobs> = {
  name: 'convergence',
  thread: 'shared',
};

interface ChurnInput {
  readonly extent: ChurnExtent;
  /** If absent, all clients are counted. */
  readonly clientId?: string;
}

export interface ChurnReported {
  readonly reported: ReturnType<typeof buildChurn>;
  readonly read: number;
}

interface Draft {
  readonly question: ConvergenceQuestion | null;
  readonly book: FactIndex;
  readonly files: ImportedFiles;
}

/** Observations of removed files remain in the log until retention deletes them. */
function isOfRemovedFile({ vantage, sourceId }: Recorded, files: ImportedFiles): boolean {
  return vantage === 'dump' && !files.has(sourceId);
}

const draftsKept = 8;
const mostRecentObservations = 20_000;
const recentStep = 500;

/**
 * Folds the log into the state of a rollout per client. A draft is built in parts. Each step reads the log as of its
 * own time: observations that are appended meanwhile are either later than the range or are counted.
 */
export class ConvergenceBuilder {
  readonly #reader: LogReader;
  readonly #drafts = new LRUCache<string, Draft>({ max: draftsKept });

  constructor(reader: LogReader) {
    this.#reader = reader;
  }

  readonly runners = {
    churn: (input: ChurnInput): AwaitingSteps<ChurnReported> => this.#churn(input),
    read: (input: ObservationsToRead): AwaitingSteps<ConvergenceJobs['read']['output']> => this.#read(input),
    recent: (input: RecentInput): AwaitingSteps<RecentTargets> => this.#recent(input),
    targets: (input: ConvergenceJobs['targets']['input']): ConvergenceJobs['targets']['output'] =>
      this.#targets(input),
    validate: (input: ValidationInput): ConvergenceJobs['validate']['output'] => this.#validate(input),
  };

  *#read({
    draft: id,
    question,
    isFirst,
    addresses,
    files,
    filters,
    most,
  }: ObservationsToRead): AwaitingSteps<ConvergenceJobs['read']['output']> {
    if (isFirst) {
      const interest = question === null ? { typeUrl: null, name: null } : interestOf(question);
      this.#drafts.set(id, { question, book: new FactIndex(interest, (id) => addresses.get(id)), files });
    }
    const draft = this.#drafts.get(id);
    if (draft === undefined) return 'unknown';
    let isCut = false;
    for (const filter of filters) {
      let read = 0;
      const query = { order: 'asc', ...filter, kinds: convergenceKinds } as const;
      const isWhole = yield* readLog(this.#reader, query, (observation) => {
        if (isOfRemovedFile(observation, draft.files)) return true;
        if (read >= most) return false;
        read += 1;
        draft.book.addObservation(observation);
        return true;
      });
      isCut ||= !isWhole;
      yield;
    }
    return { isCut };
  }

  /** Reads from the newest observation back until there are enough pushes. */
  *#recent({ draft: id, addresses, files, from, until, most }: RecentInput): AwaitingSteps<RecentTargets> {
    const book = new FactIndex({ typeUrl: null, name: null }, (sourceId) => addresses.get(sourceId));
    this.#drafts.set(id, { question: null, book, files });
    let oldestAt: EpochMs = until;
    let read = 0;
    const query = { kinds: convergenceKinds, from, to: until, order: 'desc' } as const;
    const isWhole = yield* readLog(this.#reader, query, (observation) => {
      if (!isOfRemovedFile(observation, files)) book.addObservation(observation);
      oldestAt = observation.at;
      read += 1;
      if (read % recentStep > 0) return true;
      // The oldest push may have begun before the part of the log that was read.
      return read < mostRecentObservations && findPushes(book, most * 2).length < most * 2;
    });
    const readFrom = isWhole ? null : oldestAt;
    const targets = this.#targets({ draft: id, most });
    if (targets === 'unknown') throw new Error('a draft was lost while it was made');
    return {
      targets: targets.filter((reported) => readFrom === null || reported.firstAt > readFrom),
      from: readFrom,
    };
  }

  *#churn({ extent, clientId }: ChurnInput): AwaitingSteps<ChurnReported> {
    const book = new ChurnIndex(extent);
    const range = { from: extent.from, to: extent.until, clientId };
    const read = yield* readChurn(this.#reader, range, (entry) => book.add(entry));
    return { reported: buildChurn(book), read };
  }

  #targets({ draft: id, most }: ConvergenceJobs['targets']['input']): readonly ReportedTarget[] | 'unknown' {
    const draft = this.#drafts.get(id);
    if (draft === undefined) return 'unknown';
    const { question, book } = draft;
    if (question === null) {
      return findPushes(book, most).map(({ question, found, clientIds, sourceIds }) =>
        settingsOfProbe(question, found, clientIds, sourceIds),
      );
    }
    const found = findTarget(book, question);
    if (found === undefined) return [];
    const clientIds = new Set(book.clientIds);
    const sourceIds = new Set<string>();
    for (const fact of book.all()) {
      if (fact.what === 'sent' && found.target.isIt(fact)) sourceIds.add(fact.sourceId);
    }
    return [settingsOfProbe(question, found, clientIds, sourceIds)];
  }

  #validate({
    draft: id,
    question,
    extra,
    knownSince,
    wholeOf,
    concerned,
    until,
  }: ValidationInput): Validated | 'unknown' {
    const draft = this.#drafts.get(id);
    if (draft === undefined) return 'unknown';
    const book = draft.book.select(interestOf(question), concerned, until);
    for (const fact of extra) if (fact.at <= until) book.add(fact);
    const found = findTarget(book, question);
    if (found === undefined) return 'unknown';
    const { target } = found;
    const validated = classifyClients(book, target, {
      knownSince: new Map(knownSince),
      ...(concerned !== null && { concerned: new Set(concerned) }),
    });
    const outcomes = withoutScopes(validated, new Map(wholeOf));
    const pending = outcomes.filter(isStuckOutcome).map(({ clientId }) => clientId);
    const spread = buildSpread(outcomes, target.firstAt);
    return { spread, outcomes, changes: findPushChanges(book, found), pending, isCut: book.isFull };
  }
}

function settingsOfProbe(
  question: ConvergenceQuestion,
  { target, ...rest }: FoundTarget,
  clientIds: ReadonlySet<string>,
  sourceIds: ReadonlySet<string>,
): ReportedTarget {
  const { hash, firstAt, firstAfter } = target;
  const after = firstAfter === undefined ? {} : { firstAfter };
  return { ...rest, question, hash, firstAt, ...after, clientIds: [...clientIds], sourceIds: [...sourceIds] };
}
