import type { StreamTopic } from '@/lib/api/stream';

/** Which topics the components of one tab want together. Several may want the same one. */
export class TopicCounter {
  private readonly counts = new Map<StreamTopic, number>();
  private isScheduled = false;

  constructor(private readonly onChange: (topics: readonly StreamTopic[]) => void) {}

  /** Returns what gives the topics back. */
  add(topics: readonly StreamTopic[]): () => void {
    for (const topic of topics) this.counts.set(topic, (this.counts.get(topic) ?? 0) + 1);
    this.publish();
    return () => {
      for (const topic of topics) {
        const count = (this.counts.get(topic) ?? 0) - 1;
        if (count > 0) this.counts.set(topic, count);
        else this.counts.delete(topic);
      }
      this.publish();
    };
  }

  /** Effects of one render run together: one message for all of them. */
  publish(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      this.onChange([...this.counts.keys()].sort());
    });
  }
}
