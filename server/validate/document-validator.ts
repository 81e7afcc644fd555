import { LRUCache } from 'lru-cache';
import type { Finding } from '@/lib/validate/validate-resource';
import { ApiError } from '../api/api-error';
import { createRedactionMarker } from '../codec/redaction-marker';
import type { Body } from '../observe';
import { inSlices } from '../threads/in-slices';
import { wholeBuffer } from '../threads/whole-buffer';
import { JobQueue } from '../workers/job-queue';
import type { BodyContext } from './build-row-contexts';
import type { InputToValidate, ValidatedInput } from './validation-input';
import { type BodyToValidator, type ValidationJobs, validateJobRunners } from './validation-job';
import type { ValidationWorkerData } from './validation-worker';

export interface ValidationOptions {
  readonly redactionKey: Uint8Array;
  /** Reads bodies by hash; unknown ones are left out. */
  readonly readBodies: (hashes: Iterable<string>, signal?: AbortSignal) => Promise<Map<string, Body>>;
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

/** So many bodies are validated in one go: neither side stops for long over them. */
const bodiesPerTurn = 500;
/** Bodies whose findings are kept. */
const bodiesKept = 120_000;
/** Findings that are kept, over all of them. */
const findingsKept = 200_000;

/**
 * What resources break. Findings depend on the body and on what of its client the rules ask for, and are kept by both:
 * one changed resource is validated alone. Large work is done in a thread.
 */
export class Validator {
  private readonly queue: JobQueue<ValidationJobs>;
  private readonly inPlace: ReturnType<typeof validateJobRunners>;
  private readonly kept = new LRUCache<string, readonly Finding[]>({
    max: bodiesKept,
    maxSize: bodiesKept + findingsKept,
    sizeCalculation: (findings) => 1 + findings.length,
  });

  constructor(private readonly options: ValidationOptions) {
    const { redactionKey, deadlineMs = 60_000, workerProgram: file } = options;
    const data: ValidationWorkerData = { redactionKey };
    this.inPlace = validateJobRunners(createRedactionMarker(redactionKey));
    this.queue = new JobQueue<ValidationJobs>({
      program: { name: 'validation-worker', file, data, maxHeapMb: 2048 },
      owner: 'the validate',
      doing: 'validating resources',
      deadlineMs,
      errorOf: (message) => new ApiError(503, 'Findings not available', message),
    });
  }

  /** Bodies are validated anew: the types that they are decoded by have changed. */
  renew(): void {
    this.queue.renew();
    this.kept.clear();
  }

  /** By hash, type and context; a body that is not stored is left out. */
  async validateBodies(
    keys: readonly BodyKey[],
    signal?: AbortSignal,
  ): Promise<(key: BodyKey) => readonly Finding[] | undefined> {
    const validated = new Map<string, readonly Finding[]>();
    const missing: BodyKey[] = [];
    await inSlices(keys, (key) => {
      const text = textOf(key);
      const kept = this.kept.get(text);
      if (kept === undefined) missing.push(key);
      else validated.set(text, kept);
    });
    for (let from = 0; from < missing.length; from += bodiesPerTurn) {
      const turn = missing.slice(from, from + bodiesPerTurn);
      for (const [text, findings] of await this.validateTurn(turn, signal)) validated.set(text, findings);
    }
    return (key) => validated.get(textOf(key));
  }

  validateInput(input: InputToValidate, signal?: AbortSignal): Promise<ValidatedInput> {
    const { bytes } = input;
    // A document takes some ten times as long as protobuf.
    if (bytes.length * 10 <= this.inPlaceBytes) return Promise.resolve(this.inPlace.input(input));
    return this.queue.run('input', { ...input, bytes: wholeBuffer(bytes) }, { signal });
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  private async validateTurn(
    keys: readonly BodyKey[],
    signal: AbortSignal | undefined,
  ): Promise<[text: string, findings: readonly Finding[]][]> {
    const stored = await this.options.readBodies(
      keys.map(({ hash }) => hash),
      signal,
    );
    const found = keys.flatMap((key) => {
      const body = stored.get(key.hash);
      return body === undefined ? [] : [{ ...key, bytes: body.bytes }];
    });
    const size = found.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const bodies = found.map(({ typeUrl, bytes, context }): BodyToValidator => {
      return { typeUrl, bytes: wholeBuffer(bytes), ...(context && { context: context.rules }) };
    });
    const findings =
      size <= this.inPlaceBytes
        ? this.inPlace.bodies(bodies)
        : await this.queue.run('bodies', bodies, { signal });
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
