import os from 'node:os';
import { ApiError } from '../api-error';
import type { FleetHolding } from '../live/held-clients';
import { log } from '../logger';
import type { Clock } from '../observe';
import { FleetQuestions } from '../store/fleet-questions';
import type { SharedDatabase } from './open-shared-store';
import { type Folder, folderEntry, type RelayedAnswer } from './relayed-questions';
import { RepeatedWork } from './repeated-work';

/** Answers one question of another process as this process answers its own. */
export type AnswerRelayed = (question: unknown, signal: AbortSignal) => Promise<unknown>;

interface QuestionServerParts {
  readonly clock: Clock;
  readonly shared: SharedDatabase;
  readonly holding: FleetHolding;
}

const pollMs = 200;
const reportMs = 2_000;
/** Nobody waits for so long. */
const forgottenMs = 120_000;
const mostAtOnce = 32;
const mostBytes = 32 * 1024 * 1024;

/** Answers what other processes ask while this one folds the fleet, and reports that it does. */
export class QuestionServer {
  readonly #parts: QuestionServerParts;
  readonly #questions: FleetQuestions;
  readonly #answering = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #work: RepeatedWork;
  readonly #reporting: RepeatedWork;
  #answer: AnswerRelayed | undefined;

  constructor(parts: QuestionServerParts) {
    this.#parts = parts;
    const { clock, shared } = parts;
    this.#questions = new FleetQuestions(shared.database);
    this.#work = new RepeatedWork({
      ...{ clock, everyMs: pollMs, failure: 'questions of other processes are not answered' },
      work: () => this.#readQuestions(),
    });
    this.#reporting = new RepeatedWork({
      ...{ clock, everyMs: reportMs, failure: 'that this process folds the fleet is not reported' },
      work: () => this.#report(),
    });
  }

  start(answer: AnswerRelayed): void {
    this.#answer = answer;
    this.#work.start();
    this.#reporting.start();
  }

  /** Some process asks. */
  wake(): void {
    if (this.#parts.holding.isFolder) this.#work.wake();
  }

  /** Must be called when this process begins or ceases to fold the fleet. */
  report(): void {
    this.#reporting.wake();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#reporting.close();
    await this.#work.close();
    await Promise.all(this.#answering.values());
  }

  async #report(): Promise<void> {
    const { shared, holding, clock } = this.#parts;
    if (!holding.isFolder) return;
    const state = holding.isWhole ? 'answering' : 'reading';
    const progress = holding.progress === '' ? {} : { progress: holding.progress };
    await shared.state.put(folderEntry.key, { name: os.hostname(), state, ...progress } satisfies Folder);
    await this.#questions.forgetBefore(clock.now() - forgottenMs);
  }

  async #readQuestions(): Promise<void> {
    const { isFolder, isWhole } = this.#parts.holding;
    if (!isFolder || !isWhole) return;
    for (const { id, json } of await this.#questions.listOpen()) {
      if (this.#answering.has(id) || this.#answering.size >= mostAtOnce) continue;
      const answering = this.#answerOne(id, json).finally(() => this.#answering.delete(id));
      this.#answering.set(id, answering);
    }
  }

  async #answerOne(id: string, json: string): Promise<void> {
    try {
      await this.#questions.answer({ id, json: await this.#find(json) });
    } catch (error) {
      // The question is still there, and is read again.
      log('warn', 'store', `an answer to another process is not stored: ${String(error)}`);
    }
  }

  /** Resolves with a RelayedAnswer as JSON. */
  async #find(json: string): Promise<string> {
    try {
      const value = await this.#answer?.(JSON.parse(json), this.#closing.signal);
      return formatAnswer(value instanceof Response ? await responseOf(value) : { value });
    } catch (error) {
      if (error instanceof ApiError) {
        const { status, title, detail, field, importId } = error;
        return formatAnswer({ error: { status, title, detail, field, importId } });
      }
      log('error', 'http', `a question of another process: ${String(error)}`);
      const detail = 'the web process that folds the fleet failed to answer; its log states the reason';
      return formatAnswer({ error: { status: 500, title: 'Internal error', detail } });
    }
  }
}

/** Counts of 2^53 and more lose their last digits. */
function formatAnswer(answer: RelayedAnswer): string {
  return JSON.stringify(answer, (_key, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
}

async function responseOf(response: Response): Promise<RelayedAnswer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > mostBytes) {
      const detail = `expected an answer of at most ${mostBytes} bytes, got more: ask the process that folds the fleet`;
      return { error: { status: 503, title: 'Answer too large', detail } };
    }
    parts.push(part);
  }
  const headers = Object.fromEntries(response.headers);
  return { response: { status: response.status, headers, base64: Buffer.concat(parts).toString('base64') } };
}
