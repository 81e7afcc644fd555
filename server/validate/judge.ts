import { LRUCache } from 'lru-cache';
import type { Finding } from '@/lib/validate/validate-resource';
import { ApiError } from '../api/api-error';
import { createRedactionMarker } from '../codec/redaction-marker';
import type { Body } from '../observe';
import { inSlices } from '../threads/in-slices';
import { wholeBuffer } from '../threads/whole-buffer';
import { WorkerQueue } from '../threads/worker-queue';
import type { BodyContext } from './build-row-contexts';
import type { InputToJudge, JudgedInput } from './judge-input';
import { type BodyToJudge, type JudgeJobs, judgeJobRunners } from './judge-job';
import type { JudgeWorkerData } from './judge-worker';

export interface JudgeOptions {
  readonly redactionKey: Uint8Array;
  /** Reads bodies by hash; unknown ones are left out. */
  readonly readBodies: (hashes: Iterable<string>) => Promise<Map<string, Body>>;
  /** Larger work goes to the worker thread, off the event loop. */
  readonly inPlaceBytes?: number;
  readonly deadlineMs?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

/** A body and the type that it is read as: equal bytes can be a cluster and its endpoints. */
export interface BodyKey {
  readonly hash: string;
  readonly typeUrl: string;
  /** What its client knows besides. */
  readonly context?: BodyContext | undefined;
}

/** So many bodies are judged in one go: neither side stops for long over them. */
const bodiesPerTurn = 500;
/** Bodies whose findings are kept. */
const bodiesKept = 120_000;
/** Findings that are kept, over all of them. */
const findingsKept = 200_000;

/**
 * What resources break. Findings depend on the body and on what of its client the rules ask for, and are kept by both:
 * one changed resource is judged alone. Large work is done in a thread.
 */
export class Judge {
  private readonly queue: WorkerQueue<JudgeJobs>;
  private readonly inPlace: ReturnType<typeof judgeJobRunners>;
  private readonly kept = new LRUCache<string, readonly Finding[]>({
    max: bodiesKept,
    maxSize: bodiesKept + findingsKept,
    sizeCalculation: (findings) => 1 + findings.length,
  });

  constructor(private readonly options: JudgeOptions) {
    const { redactionKey, deadlineMs = 60_000, workerProgram: program } = options;
    const data: JudgeWorkerData = { redactionKey };
    this.inPlace = judgeJobRunners(createRedactionMarker(redactionKey));
    this.queue = new WorkerQueue<JudgeJobs>({
      name: 'judge-worker',
      owner: 'the judge',
      doing: 'judging resources',
      data,
      deadlineMs,
      program,
      maxHeapMb: 2048,
      errorOf: (message) => new ApiError(503, 'Findings not available', message),
    });
  }

  /** Bodies are judged anew: the types that they are decoded by have changed. */
  renew(): void {
    this.queue.renew();
    this.kept.clear();
  }

  /** By hash, type and context; a body that is not stored is left out. */
  async judgeBodies(keys: readonly BodyKey[]): Promise<(key: BodyKey) => readonly Finding[] | undefined> {
    const judged = new Map<string, readonly Finding[]>();
    const missing: BodyKey[] = [];
    await inSlices(keys, (key) => {
      const text = textOf(key);
      const kept = this.kept.get(text);
      if (kept === undefined) missing.push(key);
      else judged.set(text, kept);
    });
    for (let from = 0; from < missing.length; from += bodiesPerTurn) {
      const turn = missing.slice(from, from + bodiesPerTurn);
      for (const [text, findings] of await this.judgeTurn(turn)) judged.set(text, findings);
    }
    return (key) => judged.get(textOf(key));
  }

  judgeInput(input: InputToJudge): Promise<JudgedInput> {
    const { bytes } = input;
    // A document takes some ten times as long as protobuf.
    if (bytes.length * 10 <= this.inPlaceBytes) return Promise.resolve(this.inPlace.input(input));
    return this.queue.run('input', { ...input, bytes: wholeBuffer(bytes) });
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  private async judgeTurn(keys: readonly BodyKey[]): Promise<[text: string, findings: readonly Finding[]][]> {
    const stored = await this.options.readBodies(keys.map(({ hash }) => hash));
    const found = keys.flatMap((key) => {
      const body = stored.get(key.hash);
      return body === undefined ? [] : [{ ...key, bytes: body.bytes }];
    });
    const size = found.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const bodies = found.map(({ typeUrl, bytes, context }): BodyToJudge => {
      return { typeUrl, bytes: wholeBuffer(bytes), ...(context && { context: context.rules }) };
    });
    const findings =
      size <= this.inPlaceBytes ? this.inPlace.bodies(bodies) : await this.queue.run('bodies', bodies);
    return found.map((key, index) => {
      const own = findings[index] ?? [];
      this.kept.set(textOf(key), own);
      return [textOf(key), own];
    });
  }

  private get inPlaceBytes(): number {
    return this.options.inPlaceBytes ?? 32 * 1024;
  }
}

function textOf({ hash, typeUrl, context }: BodyKey): string {
  return `${hash} ${typeUrl} ${context?.id ?? ''}`;
}
