import { LRUCache } from 'lru-cache';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { Body } from '../../observe';
import { SharedWork } from '../../workers/shared-work';
import type { HistoryExtent, Past } from '../rows/read-past';
import type { QuestionOutput, Questions, RunGraphJob } from './graph-questions';

interface GraphRowsOptions {
  readonly run: RunGraphJob;
  readonly listsKept: number;
}

/** Rows of one message to the worker; cloning them takes some 5 ms. */
const rowsPerPart = 1_000;

interface SentList {
  readonly version: number;
  readonly rows: readonly ResourceRow[];
}

export class GraphRows {
  readonly #options: GraphRowsOptions;
  readonly #sent: LRUCache<string, SentList>;
  #newestVersion = 0;

  constructor(options: GraphRowsOptions) {
    this.#options = options;
    this.#sent = new LRUCache({ max: options.listsKept });
  }

  /**
   * Precondition: the previous question about this list has ended. Rejects when the builder fails; the next question
   * then sends the whole list again.
   */
  async ask<Name extends keyof Questions>(
    list: string,
    rows: readonly ResourceRow[],
    name: Name,
    query: Questions[Name]['query'],
    { pending, signal }: { readonly pending?: readonly Body[]; readonly signal?: AbortSignal | undefined },
  ): Promise<Questions[Name]['answer']> {
    for (let tries = 0; tries < 2; tries++) {
      const version = await this.#send(list, rows, signal);
      const question = { list, version, name, query, pending };
      const output = (await this.#options.run('question', question, signal)) as QuestionOutput<Name>;
      if (output.kind === 'answer') return output.answer;
      this.#sent.delete(list);
    }
    throw new Error(`expected the rows of "${list}", which were just sent, got none`);
  }

  /** Returns the version that these rows have in the builder. */
  async #send(list: string, rows: readonly ResourceRow[], signal: AbortSignal | undefined): Promise<number> {
    const known = this.#sent.get(list);
    if (known?.rows === rows) return known.version;
    this.#sent.delete(list);
    const version = ++this.#newestVersion;
    const sorted = rows.toSorted(compareResourceKeys);
    for (let from = 0; from === 0 || from < sorted.length; from += rowsPerPart) {
      const part = { list, version, from, rows: sorted.slice(from, from + rowsPerPart) };
      await this.#options.run('rows', part, signal);
    }
    this.#sent.set(list, { version, rows });
    return version;
  }
}

/** Lets the worker read pasts from the log. A past does not change, so it is read once for all questions about it. */
export class HistoryRows {
  readonly #run: RunGraphJob;
  readonly #read = new LRUCache<string, HistoryExtent>({ max: 4 });
  readonly #reading = new SharedWork<HistoryExtent>();

  constructor(run: RunGraphJob) {
    this.#run = run;
  }

  async ask<Name extends keyof Questions>(
    past: Past,
    name: Name,
    query: Questions[Name]['query'],
    signal: AbortSignal | undefined,
  ): Promise<Questions[Name]['answer'] & HistoryExtent> {
    const { list } = past;
    for (let tries = 0; tries < 2; tries++) {
      const extent =
        this.#read.get(list) ??
        (await this.#reading.run(list, signal, (stop) => this.#run('history', past, stop)));
      this.#read.set(list, extent);
      const output = (await this.#run(
        'question',
        { list, version: 0, name, query },
        signal,
      )) as QuestionOutput<Name>;
      if (output.kind === 'answer') return { ...output.answer, ...extent };
      this.#read.delete(list);
    }
    throw new Error(`the history "${list}" is not in the worker, though it was just read`);
  }
}
