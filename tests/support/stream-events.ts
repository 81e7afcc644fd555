/** One server-sent event, or an id that came without data. */
export interface SseEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Parses as WHATWG HTML 9.2.6 does, as far as this server writes it. Comments are left out. */
export function parseSse(text: string): SseEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const fields = new Map<string, string>();
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
      }
      return { event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: fields.get('data') ?? '' };
    });
}

/** Reads a stream chunk by chunk, when the test asks. */
export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** The events of the next chunk; the hub writes whole events. Empty at the end. */
  async next(): Promise<SseEvent[]> {
    const { value } = await this.#reader.read();
    return value ? parseSse(this.#decoder.decode(value)) : [];
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.#reader.read()).done;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}
