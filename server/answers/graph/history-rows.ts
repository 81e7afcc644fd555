import { LRUCache } from 'lru-cache';
import { SharedWork } from '../../workers/shared-work';
import type { HistoryExtent, Past } from '../rows/read-past';
import type { Asked } from './graph-model-builder';
import type { RunGraphJob } from './run-graph-job';

export interface HistoryQuestion extends Past {
  /** Aborted once whoever asks has left. */
  readonly signal?: AbortSignal | undefined;
}

/** Has the worker read pasts out of the log. A past does not change: it is read once, for all who ask about it. */
export class HistoryRows {
  private readonly read = new LRUCache<string, HistoryExtent>({ max: 4 });
  private readonly reading = new SharedWork<HistoryExtent>();

  constructor(private readonly run: RunGraphJob) {}

  async ask<T extends object>(
    { signal, ...past }: HistoryQuestion,
    question: (run: RunGraphJob) => Promise<Asked<T>>,
  ): Promise<T & HistoryExtent> {
    const { list } = past;
    for (let tries = 0; tries < 2; tries++) {
      const extent =
        this.read.get(list) ??
        (await this.reading.run(list, signal, (stop) => this.run('history', past, stop)));
      this.read.set(list, extent);
      const asked = await question(this.run);
      if (asked.kind === 'answer') return { ...asked.answer, ...extent };
      this.read.delete(list);
    }
    throw new Error(`the history "${list}" is not in the worker, though it was just read`);
  }
}
