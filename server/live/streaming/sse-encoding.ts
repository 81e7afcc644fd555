import { type StreamChange, type StreamHello, type StreamTopic, topicOf } from '@/lib/views/stream/schema';

/**
 * Server-sent events (WHATWG HTML, 9.2). Data is JSON on one line: JSON escapes every line break inside a string, so
 * that no text of a peer can end an event or begin another.
 */
const encoder = new TextEncoder();

/** `epoch` identifies a run of the server: revisions of another run have no meaning. */
export interface EventId {
  readonly epoch: string;
  readonly revision: number;
}

function formatEventId({ epoch, revision }: EventId): string {
  return `${epoch}-${revision}`;
}

/** Returns undefined if the text is not an id that the server sends. */
export function parseEventId(text: string): EventId | undefined {
  const match = /^([0-9a-f]{1,32})-(\d{1,15})$/.exec(text);
  const [, epoch, revision] = match ?? [];
  return epoch === undefined || revision === undefined ? undefined : { epoch, revision: Number(revision) };
}

export function encodeHello(id: EventId, hello: StreamHello): Uint8Array {
  return encodeEvent('hello', id, JSON.stringify(hello));
}

/** `changes` are JSON texts, each of which is encoded once for all readers. */
function encodeFrame(id: EventId, changes: readonly string[]): Uint8Array {
  return encodeEvent('frame', id, `{"revision":${id.revision},"changes":[${changes.join(',')}]}`);
}

export function encodeReset(id: EventId): Uint8Array {
  return encodeEvent('reset', id, JSON.stringify({ revision: id.revision }));
}

/**
 * The heartbeat is an event, because scripts do not receive comments and a half-open connection breaks without an
 * error. Its id advances, so that a reader of quiet topics resumes from it.
 */
export function encodeHeartbeat(id: EventId): Uint8Array {
  return encodeEvent('heartbeat', id, JSON.stringify({ revision: id.revision }));
}

function encodeEvent(name: 'hello' | 'frame' | 'reset' | 'heartbeat', id: EventId, data: string): Uint8Array {
  return encoder.encode(`event: ${name}\nid: ${formatEventId(id)}\ndata: ${data}\n\n`);
}

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

  /** Returns the changes of one topic as JSON, without the enclosing brackets. */
  #jsonOf(topic: StreamTopic): string {
    let json = this.#json.get(topic);
    if (json === undefined) {
      json = (this.#changes.get(topic) ?? []).map((change) => JSON.stringify(change)).join(',');
      this.#json.set(topic, json);
    }
    return json;
  }
}
