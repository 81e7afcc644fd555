import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { ApiError } from '../api-error';
import type { Clock } from '../observe';
import { FleetQuestions } from '../store/fleet-questions';
import type { StateStore } from '../store/state';
import { SharedWork } from '../workers/shared-work';
import type { SharedDatabase } from './open-shared-store';
import { RepeatedWork } from './repeated-work';

/** What the process that folds the fleet reports of itself every two seconds. */
export const folderEntry = {
  key: 'web/folder',
  schema: z.object({
    /** Its machine. */
    name: z.string(),
    /** `reading`: it reads the fleet from the store, and answers nothing yet. */
    state: z.enum(['reading', 'answering']),
    /** How much it has read; absent: nothing yet, or all. */
    progress: z.string().optional(),
  }),
};
export type Folder = z.infer<typeof folderEntry.schema>;

interface RelayedQuestionsParts {
  readonly clock: Clock;
  readonly shared: SharedDatabase;
  /** Called when some process answers again. */
  readonly onAnswering: () => void;
}

/** An answer as it is stored. The value of an answer that is undefined is absent. */
const relayedAnswer = z.union([
  z.object({
    response: z.object({ status: z.number(), headers: z.record(z.string(), z.string()), base64: z.string() }),
  }),
  z.object({
    error: z.object({
      ...{ status: z.number(), title: z.string(), detail: z.string() },
      ...{ field: z.string().optional(), importId: z.string().optional() },
    }),
  }),
  z.object({ value: z.unknown().optional() }),
]);
export type RelayedAnswer = z.infer<typeof relayedAnswer>;

/** Answers are read so often if notices do not arrive. */
const pollMs = 100;
/** The folder reports every two seconds. */
const silentMs = 8_000;
const longestMs = 60_000;
/** Another process takes over in this time, unless it has much to read. */
const patienceMs = 5_000;

/** Asks the process that folds the fleet what this one cannot answer, through the shared store. */
export class RelayedQuestions {
  readonly #clock: Clock;
  readonly #onAnswering: () => void;
  readonly #state: StateStore;
  readonly #questions: FleetQuestions;
  readonly #shared = new SharedWork<RelayedAnswer>();
  readonly #waiting = new Map<string, (answer: RelayedAnswer) => void>();
  readonly #answers: RepeatedWork;
  readonly #following: RepeatedWork;
  /** When a process answered last, or the start of this one. */
  #answeredAt: number;
  #folder: (Folder & { readonly version: number; readonly readAt: number }) | undefined;

  constructor({ clock, shared, onAnswering }: RelayedQuestionsParts) {
    this.#clock = clock;
    this.#onAnswering = onAnswering;
    this.#answeredAt = clock.now();
    this.#state = shared.state;
    this.#questions = new FleetQuestions(shared.database);
    this.#answers = new RepeatedWork({
      ...{ clock, everyMs: pollMs, failure: 'the answers of the process that folds the fleet are not read' },
      work: () => this.#readAnswers(),
    });
    this.#following = new RepeatedWork({
      ...{ clock, everyMs: 1_000, failure: 'the process that folds the fleet is not known' },
      work: () => this.#readFolder(),
    });
  }

  /** Resolves when it is known whether a process folds the fleet. */
  async start(): Promise<void> {
    await this.#readFolder();
    this.#following.start();
    this.#answers.start();
  }

  /** Some process was answered. */
  wake(): void {
    if (this.#waiting.size > 0) this.#answers.wake();
  }

  async close(): Promise<void> {
    await this.#following.close();
    await this.#answers.close();
  }

  /** Empty if a process answers; else a sentence on why none does. */
  get problem(): string {
    const { name, state, progress, readAt = 0 } = this.#folder ?? {};
    const silence = this.#clock.now() - readAt;
    if (name === undefined)
      return 'no web process has folded the fleet of this store yet; one begins in a moment';
    if (silence >= silentMs)
      return `the web process that folded the fleet (${name}) has not reported for ${Math.round(silence / 1_000)} s; another one takes over`;
    const read = progress === undefined ? '' : ` (${progress})`;
    return state === 'reading' ? `the web process on ${name} is reading the fleet from the store${read}` : '';
  }

  /**
   * `question` is JSON. Callers that ask the same at the same time share the answer. Throws ApiError, with 503 if no process has answered
   * for some seconds.
   */
  async ask(question: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#isHopeless()) throw unanswered(this.problem);
    const json = JSON.stringify(question);
    const answer = await this.#shared.run(json, signal, (stop) => this.#ask(json, stop));
    if ('error' in answer) {
      const { status, title, detail, field, importId } = answer.error;
      throw new ApiError(status, title, detail, field, importId);
    }
    if ('value' in answer) return answer.value;
    if (!('response' in answer)) return undefined;
    const { status, headers, base64 } = answer.response;
    return new Response(Buffer.from(base64, 'base64'), { status, headers });
  }

  async #ask(json: string, signal: AbortSignal): Promise<RelayedAnswer> {
    const id = randomUUID();
    const answered = new Promise<RelayedAnswer>((resolve, reject) => {
      this.#waiting.set(id, resolve);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const timer = this.#clock.setTimeout(
      () =>
        this.#waiting.get(id)?.({
          error: problemOf(this.problem || `it did not answer within ${longestMs / 1_000} s`),
        }),
      longestMs,
    );
    try {
      const asked = this.#questions.ask({ id, json }, this.#clock.now()).catch((error: unknown) => {
        throw unanswered(`the shared store does not answer: ${messageOf(error)}`);
      });
      await Promise.race([asked, answered]);
      return await answered;
    } finally {
      timer.cancel();
      if (this.#waiting.delete(id) && signal.aborted) await this.#questions.forget(id);
    }
  }

  async #readAnswers(): Promise<void> {
    if (this.#waiting.size === 0) return;
    for (const { id, json } of await this.#questions.takeAnswers([...this.#waiting.keys()]))
      this.#waiting.get(id)?.(relayedAnswer.parse(JSON.parse(json)));
  }

  async #readFolder(): Promise<void> {
    const now = this.#clock.now();
    const before = this.problem;
    const found = await this.#state.get(folderEntry.key, folderEntry.schema);
    if (found !== undefined && found.version !== this.#folder?.version) {
      // At the start, a process that has ended has an old value.
      const readAt = this.#folder === undefined ? now - silentMs / 2 : now;
      this.#folder = { ...found.value, version: found.version, readAt };
    }
    if (this.problem === '') this.#answeredAt = now;
    if (this.problem === '' && before !== '') this.#onAnswering();
    if (this.#isHopeless())
      for (const answer of this.#waiting.values()) answer({ error: problemOf(this.problem) });
  }

  #isHopeless(): boolean {
    return this.problem !== '' && this.#clock.now() - this.#answeredAt >= patienceMs;
  }
}

const title = 'Fleet not available';

function unanswered(detail: string): ApiError {
  return new ApiError(503, title, sentenceOf(detail));
}

function problemOf(detail: string) {
  return { status: 503, title, detail: sentenceOf(detail) };
}

function sentenceOf(problem: string): string {
  return `expected the web process that folds the fleet to answer: ${problem}`;
}
