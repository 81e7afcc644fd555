/** The head of a request or response. Names of fields are in lower case, values of equal names are joined. */
export interface Http1Head {
  readonly startLine: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** The messages of one direction of a connection, in their order. */
interface Http1Handler {
  /** Returns whether a body may follow. Responses to HEAD, and those with 1xx, 204 or 304, have none. */
  onHead(head: Http1Head): 'body' | 'no-body';
  onBody(bytes: Buffer): void;
  onEnd(): void;
  /** Called once. Nothing is read after it. */
  onUnreadable(reason: string): void;
}

type State =
  | 'head'
  | 'length'
  | 'chunk-size'
  | 'chunk'
  | 'chunk-end'
  | 'trailers'
  | 'until-close'
  | 'stopped';

const maxHeadBytes = 64 * 1024;
const maxChunkLineBytes = 1024;

/** Reads the messages of HTTP/1.1 (RFC 9112) in the bytes of one direction. */
export class Http1Messages {
  readonly #handler: Http1Handler;
  readonly #isResponse: boolean;
  #state: State = 'head';
  /** The incomplete head or line. */
  #text: Buffer = Buffer.alloc(0);
  /** The missing bytes of the body or chunk. */
  #left = 0;

  constructor(
    handler: Http1Handler,
    /** A response without a length ends with the connection, a request without one has no body. */
    isResponse: boolean,
  ) {
    this.#handler = handler;
    this.#isResponse = isResponse;
  }

  /** Reads no further, as after an upgrade to another protocol. */
  stop(): void {
    this.#state = 'stopped';
    this.#text = Buffer.alloc(0);
  }

  read(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && this.#state !== 'stopped') rest = this.#step(rest);
  }

  /** Must be called when the direction ends. */
  end(): void {
    const isComplete = this.#state === 'until-close';
    this.#state = 'stopped';
    if (isComplete) this.#handler.onEnd();
  }

  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes);
      case 'length':
        return this.#readBody(bytes, () => this.#finish());
      case 'chunk':
        return this.#readBody(bytes, () => {
          this.#state = 'chunk-end';
        });
      case 'chunk-size':
      case 'chunk-end':
      case 'trailers':
        return this.#readLine(bytes);
      case 'until-close':
        this.#handler.onBody(bytes);
        return nothing;
      case 'stopped':
        return nothing;
    }
  }

  #readHead(bytes: Buffer): Buffer {
    const before = this.#text.length;
    const text = Buffer.concat([this.#text, bytes.subarray(0, maxHeadBytes + 4 - before)]);
    // Empty lines before a request are ignored.
    const from = text[0] === 13 || text[0] === 10 ? text.findIndex((byte) => byte !== 13 && byte !== 10) : 0;
    if (from === -1) return nothing;
    const end = text.indexOf('\r\n\r\n', from);
    if (end === -1) {
      this.#text = text;
      if (text.length > maxHeadBytes)
        this.#fail(`expected a head of at most ${maxHeadBytes} bytes, got more`);
      return nothing;
    }
    this.#text = Buffer.alloc(0);
    this.#begin(text.toString('latin1', from, end));
    return bytes.subarray(end + 4 - before);
  }

  #begin(text: string): void {
    const [startLine = '', ...lines] = text.split('\r\n');
    const fields = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(0, colon)).toLowerCase();
      const known = fields.get(name);
      const value = line.slice(colon + 1).trim();
      fields.set(name, known === undefined ? value : `${known}, ${value}`);
    }
    if (fields.has('')) {
      this.#fail('expected header fields with a name and a colon, got a line without');
      return;
    }
    const mayHaveBody = this.#handler.onHead({ startLine, fields }) === 'body';
    if (this.#state === 'stopped') return;
    if (mayHaveBody) this.#beginBody(fields);
    else this.#finish();
  }

  #beginBody(fields: Http1Head['fields']): void {
    const coding = fields.get('transfer-encoding')?.toLowerCase();
    const length = fields.get('content-length');
    if (coding === 'chunked') this.#state = 'chunk-size';
    else if (coding !== undefined) this.#fail('expected the transfer coding chunked, got another');
    else if (length === undefined && this.#isResponse) this.#state = 'until-close';
    else if (length === undefined || Number(length) === 0) this.#finish();
    else if (/^\d{1,15}$/.test(length)) {
      this.#left = Number(length);
      this.#state = 'length';
    } else this.#fail('expected a number as Content-Length, got another value');
  }

  #readBody(bytes: Buffer, onComplete: () => void): Buffer {
    const part = bytes.subarray(0, this.#left);
    this.#left -= part.length;
    this.#handler.onBody(part);
    if (this.#left === 0) onComplete();
    return bytes.subarray(part.length);
  }

  #readLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(10);
    const part = end === -1 ? bytes : bytes.subarray(0, end + 1);
    if (this.#text.length + part.length > maxChunkLineBytes) {
      this.#fail(`expected a line of at most ${maxChunkLineBytes} bytes in a chunked body, got more`);
      return nothing;
    }
    const text = Buffer.concat([this.#text, part]);
    if (end === -1) {
      this.#text = text;
      return nothing;
    }
    this.#text = Buffer.alloc(0);
    this.#onLine(text.toString('latin1').trim());
    return bytes.subarray(end + 1);
  }

  #onLine(line: string): void {
    if (this.#state === 'trailers') {
      if (line === '') this.#finish();
    } else if (this.#state === 'chunk-end') {
      if (line === '') this.#state = 'chunk-size';
      else this.#fail('expected the end of a chunk, got more bytes');
    } else {
      const [size = ''] = line.split(';');
      if (/^[0-9a-f]{1,8}$/i.test(size.trim())) {
        this.#left = Number.parseInt(size, 16);
        this.#state = this.#left === 0 ? 'trailers' : 'chunk';
      } else this.#fail('expected the size of a chunk in hexadecimal digits, got another value');
    }
  }

  #finish(): void {
    this.#state = 'head';
    this.#handler.onEnd();
  }

  #fail(reason: string): void {
    this.stop();
    this.#handler.onUnreadable(reason);
  }
}

const nothing: Buffer = Buffer.alloc(0);
