import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { findTypeOfRestPath } from '@/lib/xds/rest-path';
import type { EpochMs } from '@/lib/xds/units';
import type { Direction } from '../copy-events';
import type { CopyQueue } from './copy-queue';
import { type Http1Head, Http1Messages } from './http1-messages';

interface RestCopiesOptions {
  readonly tap: number;
  readonly peer: string;
  readonly server: string;
  readonly queue: CopyQueue;
  readonly now: () => EpochMs;
  /** Returns the reason why no copies are made, or an empty text if copies are made. */
  readonly pausedFor: () => string;
  readonly onDropped: (messages: number) => void;
  /** The bytes of incomplete bodies of all connections of the tap. */
  readonly budget: RestBudget;
  readonly maxBodyBytes?: number;
}

/** MUTABLE. */
interface RestBudget {
  heldBytes: number;
  readonly maxBytes: number;
}

export function createRestBudget(): RestBudget {
  return { heldBytes: 0, maxBytes: 128 * 1024 * 1024 };
}

/** A request, and the response to it, which follows in the order of the requests. */
interface Exchange {
  readonly number: number;
  readonly method: string;
  /** Null if the exchange is not recorded. */
  readonly path: string | null;
  isCopied: boolean;
}

/** Less than a queue of copies holds. */
const defaultMaxBodyBytes = 24 * 1024 * 1024;
/** The reason of an error in a body is at its start. */
const errorBodyBytes = 1024;
/** HTTP/1.1 allows a client to send requests before the responses. */
const maxOutstanding = 100;

/**
 * Copies the polls of xDS over REST (POST /v3/discovery:TYPE) out of the bytes of one connection of HTTP/1.1, and the
 * responses to them. Other requests, and what is no HTTP/1.1, are not copied. The relayed bytes are not changed.
 */
export class RestCopies {
  readonly #options: RestCopiesOptions;
  readonly #connectionId = randomUUID();
  readonly #outstanding: Exchange[] = [];
  readonly #up: Http1Messages;
  readonly #down: Http1Messages;
  #upBody: BodyCopy | null = null;
  #downBody: BodyCopy | null = null;
  #current: Exchange | null = null;
  #status = 0;
  #encoding = '';
  #exchanges = 0;
  #hasPolled = false;

  constructor(options: RestCopiesOptions) {
    this.#options = options;
    this.#up = new Http1Messages(
      {
        onHead: (head) => this.#onRequest(head),
        onBody: (bytes) => this.#upBody?.add(bytes),
        onEnd: () => this.#onRequestEnd(),
        onUnreadable: (reason) => this.#stop(reason),
      },
      false,
    );
    this.#down = new Http1Messages(
      {
        onHead: (head) => this.#onResponse(head),
        onBody: (bytes) => this.#downBody?.add(bytes),
        onEnd: () => this.#onResponseEnd(),
        onUnreadable: (reason) => this.#stop(reason),
      },
      true,
    );
  }

  data(direction: Direction, chunk: Buffer): void {
    (direction === 'up' ? this.#up : this.#down).read(chunk);
  }

  /** `details` states which side closed the connection. */
  close(details: string): void {
    this.#down.end();
    this.#up.stop();
    this.#release();
    if (!this.#hasPolled) return;
    const { tap, queue, now } = this.#options;
    queue.push({ kind: 'polls-ended', tap, connectionId: this.#connectionId, details, at: now() });
  }

  #onRequest({ startLine, fields }: Http1Head): 'body' | 'no-body' {
    const [, method = '', path = ''] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(startLine) ?? [];
    const requests = this.#outstanding.length + 1;
    if (method === '' || requests > maxOutstanding) {
      const expected = `expected at most ${maxOutstanding} requests without a response`;
      this.#stop(method === '' ? '' : `${expected}, got ${requests}`);
      return 'no-body';
    }
    const isRecorded = method === 'POST' && findTypeOfRestPath(path) !== undefined;
    this.#exchanges += 1;
    const exchange = { number: this.#exchanges, method, path: isRecorded ? path : null, isCopied: false };
    this.#outstanding.push(exchange);
    this.#current = exchange;
    this.#upBody = isRecorded ? this.#bodyOf(fields, this.#maxBodyBytes) : null;
    return 'body';
  }

  #onRequestEnd(): void {
    const exchange = this.#current;
    const body = this.#upBody;
    this.#current = null;
    this.#upBody = null;
    if (exchange === null || exchange.path === null || body === null) return;
    const bytes = this.#take(body, 'request', exchange.number);
    if (bytes === undefined) return;
    const { tap, peer, server, queue, now } = this.#options;
    const { number, path } = exchange;
    const sent = { tap, connectionId: this.#connectionId, exchange: number, path, peer, server, at: now() };
    queue.push({ kind: 'polled', ...sent, sizeBytes: bytes.length, clockMs: clockMs() }, bytes);
    exchange.isCopied = true;
    this.#hasPolled = true;
  }

  #onResponse({ startLine, fields }: Http1Head): 'body' | 'no-body' {
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(startLine)?.[1] ?? 0);
    const [exchange] = this.#outstanding;
    // After 101, and after a response to CONNECT, another protocol follows.
    const isTunnel = exchange?.method === 'CONNECT' && status >= 200 && status < 300;
    if (exchange === undefined || status === 0 || status === 101 || isTunnel) {
      this.#stop('');
      return 'no-body';
    }
    this.#status = status;
    this.#encoding = fields.get('content-encoding') ?? '';
    if (exchange.isCopied && status >= 200) {
      this.#downBody = this.#bodyOf(fields, status === 200 ? this.#maxBodyBytes : errorBodyBytes);
    }
    const isEmpty = status < 200 || status === 204 || status === 304 || exchange.method === 'HEAD';
    return isEmpty ? 'no-body' : 'body';
  }

  #onResponseEnd(): void {
    if (this.#status < 200) return;
    const exchange = this.#outstanding.shift();
    const body = this.#downBody;
    this.#downBody = null;
    if (exchange === undefined || body === null) return;
    const bytes = this.#status === 200 ? this.#take(body, 'response', exchange.number) : body.take();
    if (bytes === undefined) return;
    const { tap, queue, now } = this.#options;
    const sent = { tap, connectionId: this.#connectionId, exchange: exchange.number, at: now() };
    const answer = { status: this.#status, encoding: this.#encoding, clockMs: clockMs() };
    queue.push({ kind: 'poll-answered', ...sent, ...answer, sizeBytes: bytes.length }, bytes);
  }

  get #maxBodyBytes(): number {
    return this.#options.maxBodyBytes ?? defaultMaxBodyBytes;
  }

  #bodyOf(fields: Http1Head['fields'], maxBytes: number): BodyCopy {
    return new BodyCopy(maxBytes, Number(fields.get('content-length') ?? 0), this.#options.budget);
  }

  /** Returns undefined, and reports it, if the body is not copied. */
  #take(body: BodyCopy, what: 'request' | 'response', exchange: number): Buffer | undefined {
    const { sizeBytes, problem } = body;
    const bytes = body.take();
    const { queue, pausedFor } = this.#options;
    const full = queue.hasRoom(bytes.length) ? '' : 'recording could not keep up';
    const reason = pausedFor() || (problem === '' ? full : `${what}: ${problem}`);
    if (reason === '') return bytes;
    this.#drop(sizeBytes, reason, exchange);
    return undefined;
  }

  #drop(bytes: number, reason: string, exchange: number | null): void {
    const { tap, queue, now, onDropped } = this.#options;
    onDropped(1);
    const dropped = { tap, connectionId: this.#connectionId, messages: 1, bytes, from: now(), at: now() };
    queue.push({ kind: 'polls-dropped', ...dropped, exchange, reason });
  }

  /** Stops reading. An empty reason: the connection is of another protocol. */
  #stop(reason: string): void {
    this.#up.stop();
    this.#down.stop();
    this.#release();
    if (reason !== '' && this.#hasPolled)
      this.#drop(0, `HTTP/1.1: ${reason}; the connection is relayed unread`, null);
  }

  #release(): void {
    this.#upBody?.take();
    this.#downBody?.take();
    this.#upBody = null;
    this.#downBody = null;
  }
}

function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Collects a body up to a limit. */
class BodyCopy {
  readonly #maxBytes: number;
  readonly #announcedBytes: number;
  readonly #budget: RestBudget;
  #chunks: Buffer[] = [];
  #heldBytes = 0;
  sizeBytes = 0;
  problem = '';

  constructor(
    maxBytes: number,
    /** The number in Content-Length; 0 if that is absent. */
    announcedBytes: number,
    budget: RestBudget,
  ) {
    this.#maxBytes = maxBytes;
    this.#announcedBytes = announcedBytes;
    this.#budget = budget;
  }

  add(bytes: Buffer): void {
    this.sizeBytes += bytes.length;
    if (this.problem !== '') return;
    const maxBytes = this.#maxBytes,
      budget = this.#budget;
    const totalBytes = Math.max(this.#announcedBytes, this.sizeBytes);
    if (totalBytes > maxBytes) {
      this.#release(`expected a body of at most ${maxBytes} bytes, got at least ${totalBytes}`, bytes);
    } else if (budget.heldBytes + bytes.length > budget.maxBytes) {
      const held = `${budget.heldBytes + bytes.length}`;
      this.#release(`expected at most ${budget.maxBytes} bytes of incomplete bodies, got ${held}`, bytes);
    } else {
      this.#chunks.push(bytes);
      this.#heldBytes += bytes.length;
      budget.heldBytes += bytes.length;
    }
  }

  /** Returns the collected bytes, of which a body above the limit has only the first. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#budget.heldBytes -= this.#heldBytes;
    this.#heldBytes = 0;
    return bytes;
  }

  #release(problem: string, bytes: Buffer): void {
    this.problem = problem;
    const first = Buffer.concat([...this.#chunks, bytes]).subarray(0, errorBodyBytes);
    this.take();
    this.#chunks = [Buffer.from(first)];
  }
}
