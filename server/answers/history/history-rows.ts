import { LRUCache } from 'lru-cache';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { ApiError } from '../../api/api-error';
import type { Recorder } from '../../recorder/recorder';
import type { Asked } from '../graph/graph-model-builder';
import type { RunGraphJob } from '../graph/run-graph-job';
import { forget, supplyBodies } from '../graph/supply-bodies';

export interface HistoryQuestion {
  /** The same name for the same past. */
  readonly list: string;
  readonly clientId: string;
  readonly until: EpochMs;
  /** Reported is what came after it, and not the newest part of a long past. */
  readonly from?: EpochMs;
  /** Aborted once whoever asks has left. */
  readonly signal?: AbortSignal | undefined;
}

/** What the log says of the past that was asked for. */
export interface HistoryExtent {
  /** Where the telling begins: with the client's first observation in the log, or, of a long past, later. null: nothing. */
  readonly beginsAt: EpochMs | null;
  /** The log reports the client before that, too. */
  readonly hasOlder: boolean;
  /** The end was not reached: there are more observations than are read for one question. */
  readonly isCut: boolean;
  /** Then the newest that was reported; else the end. */
  readonly reportedTo: EpochMs;
}

type ReportedHistory = HistoryExtent & { readonly version: number };

interface ComingHistory {
  readonly reported: Promise<ReportedHistory>;
  /** Of everybody who waits for it; undefined: of somebody who does not leave. */
  readonly signals: (AbortSignal | undefined)[];
}

export interface HistoryRowsOptions {
  readonly run: RunGraphJob;
  readonly recorder: Pick<Recorder, 'readBodies' | 'readHistoryBase' | 'readObservationTexts'>;
}

/** Those that change what a client holds. */
const kinds: readonly Observation['kind'][] = [
  'client-config-changed',
  'client-gone',
  'stream-opened',
  'stream-closed',
  'request-sent',
  'ack-sent',
  'nack-sent',
  'timer-expired',
  'cache-changed',
];

const observationsPerPart = 200;
const maxObservations = 200_000;
/** From a moment on: who wants more asks again, from there. */
const maxForward = 20_000;

/** Brings a GraphModelBuilder a client's past out of the log. The past does not change: a list is brought once. */
export class HistoryRows {
  private readonly reported = new LRUCache<string, ReportedHistory>({ max: 4 });
  /** By list: on its way. Who asks for the same past meanwhile waits for the same. */
  private readonly coming = new Map<string, ComingHistory>();
  /** Below zero: the versions of living lists are above. */
  private newestVersion = 0;

  constructor(private readonly options: HistoryRowsOptions) {}

  async ask<T extends object>(
    question: HistoryQuestion,
    answer: (run: RunGraphJob, version: number) => Promise<Asked<T>>,
  ): Promise<T & HistoryExtent> {
    const { list } = question;
    for (let tries = 0; tries < 2; tries++) {
      const known = this.reported.get(list) ?? (await this.bringOnce(question));
      const { version, ...extent } = known;
      const reported = await supplyBodies(this.options, list, version, (run) => answer(run, version));
      if (reported.kind === 'answer') {
        this.reported.set(list, known);
        return { ...reported.answer, ...extent };
      }
      this.reported.delete(list);
    }
    throw new Error(`the history "${list}" is not there, though it was just brought`);
  }

  private bringOnce(question: HistoryQuestion): Promise<ReportedHistory> {
    const { list } = question;
    const coming = this.coming.get(list);
    if (coming !== undefined) {
      coming.signals.push(question.signal);
      return coming.reported;
    }
    const signals = [question.signal];
    const isWanted = () => signals.some((signal) => signal?.aborted !== true);
    const reported = this.bring(question, isWanted).finally(() => this.coming.delete(list));
    this.coming.set(list, { reported, signals });
    return reported;
  }

  private async bring(question: HistoryQuestion, isWanted: () => boolean): Promise<ReportedHistory> {
    const version = --this.newestVersion;
    try {
      return await this.bringParts(question, version, isWanted);
    } catch (error) {
      forget(this.options.run, question.list, version);
      throw error;
    }
  }

  private async bringParts(
    question: HistoryQuestion,
    version: number,
    isWanted: () => boolean,
  ): Promise<ReportedHistory> {
    const { run, recorder } = this.options;
    const { list, clientId, until, from } = question;
    const past = { list, version, clientId, until };
    const base = await recorder.readHistoryBase(clientId, until, from);
    let part = 0;
    let beginsAt = base?.at ?? null;
    let isCut = false;
    let reportedTo = until;
    const most = from === undefined ? maxObservations : maxForward;
    for (let afterSeq = base?.seq ?? 0, read = 0; ; ) {
      const query = { clientId, kinds, afterSeq, limit: observationsPerPart, order: 'asc' } as const;
      const observations = await recorder.readObservationTexts(query);
      if (!isWanted()) throw lostError(list);
      const last = observations.at(-1);
      if (last === undefined) break;
      beginsAt ??= observations[0]?.at ?? null;
      const taken = await run('history', {
        ...past,
        ...(part === 0 && { base }),
        part,
        observations,
        isLast: false,
      });
      part += 1;
      read += observations.length;
      afterSeq = last.seq;
      isCut = last.at <= until && read >= most;
      if (isCut) reportedTo = last.at;
      if (taken === 'unknown') throw lostError(list);
      if (last.at > until || isCut) break;
    }
    const taken = await run('history', {
      ...past,
      ...(part === 0 && { base }),
      part,
      observations: [],
      isLast: true,
    });
    if (taken === 'unknown') throw lostError(list);
    return { version, beginsAt, hasOlder: base?.hasOlder ?? false, isCut, reportedTo };
  }
}

/** The worker was started anew while it was reported: who asks again gets it. */
function lostError(list: string): ApiError {
  return new ApiError(503, 'History not available', `the history "${list}" was lost while it was reported`);
}
