import { LRUCache } from 'lru-cache';
import { chooseBucket } from '@/lib/churn/choose-bucket';
import type { Churn, ChurnQuery } from '@/lib/views/churn/schema';
import type { ConvergenceReader } from '../../live/convergence/convergence-reader';
import type { Clock } from '../../observe';
import { flushLog } from '../../store/recorder/flush-log';
import type { Recorder } from '../../store/recorder/recorder';
import { SharedWork } from '../../workers/shared-work';
import { assertRange } from '../parse-input';

export interface ChurnApiParts {
  readonly clock: Clock;
  readonly convergence: ConvergenceReader;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats' | 'readGaps'>;
}

const usualSpanMs = 3_600_000;
/** Times are rounded, more coarsely for longer ranges, so that requests in quick succession share one answer. */
const leastRoundMs = 5_000;
const answersKept = 8;

export class ChurnApi {
  readonly #parts: ChurnApiParts;
  readonly #answers = new LRUCache<string, Churn>({ max: answersKept });
  readonly #shared = new SharedWork<Churn>();

  constructor(parts: ChurnApiParts) {
    this.#parts = parts;
  }

  async find({ from, to, type, client }: ChurnQuery, signal?: AbortSignal): Promise<Churn> {
    const now = this.#parts.clock.now();
    const end = to === undefined || to >= now ? now : to;
    const start = from ?? end - usualSpanMs;
    const roundMs = Math.max(leastRoundMs, chooseBucket(end - start) / 3);
    const until = end === now ? Math.ceil(now / roundMs) * roundMs : end;
    const begin = Math.floor(start / roundMs) * roundMs;
    assertRange(start, end, 'a time before to');
    const oldestAt = this.#parts.recorder.stats().oldestAt ?? start;
    // The default range is shorter where the log is; a requested one is not what was asked.
    const isBeforeLog = from !== undefined && oldestAt - from >= roundMs;
    const key = JSON.stringify([begin, until, type, client, isBeforeLog]);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const requested = { from: begin, until, typeUrl: type };
    const answer = await this.#shared.run(key, signal, (stop) =>
      this.#read(requested, { client, isBeforeLog }, stop),
    );
    this.#answers.set(key, answer);
    return answer;
  }

  async #read(
    requested: { readonly from: number; readonly until: number; readonly typeUrl: string | undefined },
    { client, isBeforeLog }: { readonly client: string | undefined; readonly isBeforeLog: boolean },
    signal: AbortSignal,
  ): Promise<Churn> {
    const { recorder, convergence } = this.#parts;
    await flushLog(recorder);
    const { from, until } = requested;
    const bucketMs = chooseBucket(until - from);
    const { reported, read } = await convergence.churn({ ...requested, bucketMs }, client, signal);
    const gaps = await recorder.readGaps(from, until);
    const notes = [...reported.notes];
    if (isBeforeLog) notes.push('The log starts after the beginning of this time range.');
    if (gaps.length > 0) notes.push('There are gaps in the recording: what was sent then is not counted.');
    return { ...reported, from, until, bucketMs, read, notes };
  }
}
