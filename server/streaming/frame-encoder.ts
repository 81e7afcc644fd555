import { type StreamChange, type StreamTopic, topicOf } from '@/lib/api/stream';
import { type EventId, encodeFrame } from './sse-encoding';

/** Encodes one frame for any combination of topics: the JSON of each topic and the bytes of each combination once. */
export class FrameEncoder {
  readonly #id: EventId;
  readonly #changes = new Map<StreamTopic, StreamChange[]>();
  readonly #json = new Map<StreamTopic, string>();
  readonly #bytes = new Map<string, Uint8Array>();

  constructor(id: EventId, changes: Iterable<StreamChange>) {
    this.#id = id;
    for (const change of changes) {
      const topic = topicOf(change);
      const others = this.#changes.get(topic);
      if (others) others.push(change);
      else this.#changes.set(topic, [change]);
    }
  }

  /** Returns undefined if nothing of these topics changed. */
  encode(topics: readonly StreamTopic[]): Uint8Array | undefined {
    const touched = topics.filter((topic) => this.#changes.has(topic));
    if (touched.length === 0) return undefined;
    const mixture = touched.join('\n');
    let bytes = this.#bytes.get(mixture);
    if (!bytes) {
      bytes = encodeFrame(
        this.#id,
        touched.map((topic) => this.#jsonOf(topic)),
      );
      this.#bytes.set(mixture, bytes);
    }
    return bytes;
  }

  /** The changes of one topic as JSON, without the enclosing brackets. */
  #jsonOf(topic: StreamTopic): string {
    let json = this.#json.get(topic);
    if (json === undefined) {
      json = (this.#changes.get(topic) ?? []).map((change) => JSON.stringify(change)).join(',');
      this.#json.set(topic, json);
    }
    return json;
  }
}
