import type { StreamTopic } from '@/lib/api/stream';

/** The topics of all components of a tab, with reference counts. */
export class TopicCounter {
  readonly #onChange: (topics: readonly StreamTopic[]) => void;

  readonly #counts = new Map<StreamTopic, number>();
  #isScheduled = false;

  constructor(onChange: (topics: readonly StreamTopic[]) => void) {
    this.#onChange = onChange;
  }

  /** Returns a function that removes the topics. */
  add(topics: readonly StreamTopic[]): () => void {
    for (const topic of topics) this.#counts.set(topic, (this.#counts.get(topic) ?? 0) + 1);
    this.publish();
    return () => {
      for (const topic of topics) {
        const count = (this.#counts.get(topic) ?? 0) - 1;
        if (count > 0) this.#counts.set(topic, count);
        else this.#counts.delete(topic);
      }
      this.publish();
    };
  }

  /** The effects of one render are combined into one message. */
  publish(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#onChange([...this.#counts.keys()].sort());
    });
  }
}
