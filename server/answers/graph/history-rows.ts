import { LRUCache } from 'lru-cache';
import { SharedWork } from '../../workers/shared-work';
import type { HistoryExtent, Past } from '../rows/read-past';
import type { Asked, Questions, RunGraphJob } from './graph-model-builder';

/** Lets the worker read pasts out of the log. A past does not change: it is read once for all questions about it. */
export class HistoryRows {
  private readonly read = new LRUCache<string, HistoryExtent>({ max: 4 });
  private readonly reading = new SharedWork<HistoryExtent>();

  constructor(private readonly run: RunGraphJob) {}

  async ask<Name extends keyof Questions>(
    past: Past,
    name: Name,
    query: Questions[Name]['query'],
    signal: AbortSignal | undefined,
  ): Promise<Questions[Name]['answer'] & HistoryExtent> {
    const { list } = past;
    for (let tries = 0; tries < 2; tries++) {
      const extent =
        this.read.get(list) ??
        (await this.reading.run(list, signal, (stop) => this.run('history', past, stop)));
      this.read.set(list, extent);
      const asked = (await this.run('question', { list, version: 0, name, query }, signal)) as Asked<Name>;
      if (asked.kind === 'answer') return { ...asked.answer, ...extent };
      this.read.delete(list);
    }
    throw new Error(`the history "${list}" is not in the worker, though it was just read`);
  }
}
