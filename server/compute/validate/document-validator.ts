import { LRUCache } from 'lru-cache';
import type { ValidatedResource } from '@/lib/validate/validate-resource';
import { createRedactionMarker, type RedactionMarker } from '../../codec/redaction-marker';
import { openLogQueue } from '../../store/recorder/log-queue';
import type { BodySource } from '../../store/recorder/recorder';
import { Compute } from '../../workers/compute';
import { inPages } from '../../workers/in-pages';
import type { JobQueue } from '../../workers/job-queue';
import { inSlices } from '../../workers/threads/in-slices';
import { wholeBuffer } from '../../workers/threads/whole-buffer';
import { type CheckedInput, checkInput, type InputToCheck } from './check-input';
import type { BodyContext } from './row-contexts';
import type { InputDocument, InputToValidate, ValidatedInput } from './validation-input';
import { type ValidationJobs, validateBody, validateRedacted, validationJobs } from './validation-job';

interface ValidationOptions {
  readonly redactionKey: Uint8Array;
  readonly recorder: BodySource;
  /** Larger input is validated in the worker thread, off the event loop. */
  readonly inPlaceBytes?: number;
  /** The threads of this process; by default threads of its own. */
  readonly compute?: Compute;
}

/** A body and its type, because a cluster and its endpoints can have equal bytes. */
export interface BodyKey {
  readonly hash: string;
  readonly typeUrl: string;
  /** The properties of the client that the rules need. */
  readonly context?: BodyContext | undefined;
}

/** Limits a job, whose result is copied on the event loop. */
const bodiesPerJob = 2_000;
/** Number of bodies that the main thread reads, and validates if they are small. */
const fewBodies = 50;
const bodiesKept = 120_000;
const findingsKept = 200_000;

/** A document may take long, and the worker keeps no state. */
const abortMs = 10_000;

/**
 * Validates resources. Findings are cached by the body and the context that its rules use, so that a changed resource
 * is validated alone. Large input is validated in a thread.
 */
export class Validator {
  readonly #options: ValidationOptions;
  readonly #queue: JobQueue<ValidationJobs>;
  readonly #marker: RedactionMarker;
  readonly #kept = new LRUCache<string, ValidatedResource>({
    maxSize: bodiesKept + findingsKept,
    sizeCalculation: ({ findings, unchecked }) => 1 + findings.length + unchecked.length,
  });

  constructor(options: ValidationOptions) {
    this.#options = options;
    const { redactionKey, recorder, compute = new Compute() } = options;
    this.#marker = createRedactionMarker(redactionKey);
    this.#queue = openLogQueue(
      compute,
      validationJobs,
      recorder,
      { what: 'Findings', owner: 'the validator', doing: 'validating resources', abortMs },
      { redactionKey },
    );
  }

  /** Discards all findings. Must be called when the types of users have changed. */
  renew(): void {
    this.#queue.renew();
    this.#kept.clear();
  }

  /** Returns what is found by hash, type and context, or undefined for a body that is not stored. */
  async validateBodies(
    keys: readonly BodyKey[],
    signal?: AbortSignal,
  ): Promise<(key: BodyKey) => ValidatedResource | undefined> {
    const validated = new Map<string, ValidatedResource>();
    const missing: BodyKey[] = [];
    await inSlices(keys, (key) => {
      const text = textOf(key);
      const kept = this.#kept.get(text);
      if (kept === undefined) missing.push(key);
      else validated.set(text, kept);
    });
    for (const page of inPages(missing, bodiesPerJob)) {
      for (const [index, found] of (await this.#validatePage(page, signal)).entries()) {
        const key = page[index];
        if (key === undefined || found === null) continue;
        validated.set(textOf(key), found);
        this.#kept.set(textOf(key), found);
      }
    }
    return (key) => validated.get(textOf(key));
  }

  validateInput(input: InputToValidate, signal?: AbortSignal): Promise<ValidatedInput> {
    if (this.#isSmall(input)) return Promise.resolve(validateRedacted(input, this.#marker));
    return this.#queue.run('input', { ...input, bytes: wholeBuffer(input.bytes) }, { signal });
  }

  checkInput(input: InputToCheck, signal?: AbortSignal): Promise<CheckedInput> {
    if (this.#isSmall(input)) return Promise.resolve(checkInput(input, this.#marker));
    return this.#queue.run('check', { ...input, bytes: wholeBuffer(input.bytes) }, { signal });
  }

  /** A document takes about ten times as long as protobuf. */
  #isSmall({ bytes }: InputDocument): boolean {
    return bytes.length * 10 <= this.#inPlaceBytes;
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #validatePage(
    keys: readonly BodyKey[],
    signal: AbortSignal | undefined,
  ): Promise<(ValidatedResource | null)[]> {
    const { recorder } = this.#options;
    const hashes = keys.map(({ hash }) => hash);
    const bodies = keys.map(({ hash, typeUrl, context }) => ({ hash, typeUrl, context: context?.rules }));
    if (keys.length <= fewBodies) {
      const found = await recorder.readBodies(hashes, signal);
      const sizeBytes = [...found.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (sizeBytes <= this.#inPlaceBytes) {
        return bodies.map(({ hash, ...body }) => {
          const bytes = found.get(hash)?.bytes;
          return bytes === undefined ? null : validateBody({ ...body, bytes });
        });
      }
    }
    const pending = await recorder.readPendingBodies(hashes);
    return this.#queue.run('bodies', { bodies, pending }, { signal });
  }

  get #inPlaceBytes(): number {
    return this.#options.inPlaceBytes ?? 32 * 1024;
  }
}

function textOf({ hash, typeUrl, context }: BodyKey): string {
  return `${hash} ${typeUrl} ${context?.id ?? ''}`;
}
