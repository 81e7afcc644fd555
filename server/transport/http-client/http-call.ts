import { createHash } from 'node:crypto';
import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../../observe';
import { maxErrorBodyBytes } from '../grpc/http-error-text';
import { dialOptions } from '../targets/dial-options';
import type { Target } from '../targets/target';

interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly target: Target;
  readonly path: string;
  readonly isTls: boolean;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connectTimeoutMs: number;
  /** The time from the connection to the last byte of the answer. */
  readonly timeoutMs: number;
  /** A larger answer is aborted. */
  readonly maxBytes: number;
  readonly clock: Clock;
}

export type HttpOutcome =
  | HttpAnswer
  /** `announcedBytes`: content-length; null: absent. */
  | {
      readonly kind: 'too-large';
      readonly maxBytes: number;
      readonly receivedBytes: number;
      readonly announcedBytes: number | null;
    }
  | { readonly kind: 'late'; readonly what: 'connection' | 'answer'; readonly timeoutMs: number }
  /** `code` is Node's, such as "ECONNREFUSED". `firstBytes` is set if the answer was not HTTP/1. */
  | {
      readonly kind: 'broken';
      readonly code: string;
      readonly details: string;
      readonly firstBytes: Buffer | null;
    }
  | { readonly kind: 'aborted' };

export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly location: string;
  /** Complete for status 200; otherwise its beginning, which may contain the reason. */
  readonly body: Buffer;
  /** SHA-256 of the body, in hex. */
  readonly hash: string;
}

export interface RunningCall {
  /** Never rejects. */
  readonly outcome: Promise<HttpOutcome>;
  /** The outcome becomes "aborted", unless the call has ended already. */
  abort(): void;
}

/**
 * Sends one request over HTTP/1.1. Redirects are not followed, and bodies are not decompressed, so that the limit counts the
 * bytes on the wire. It does not use fetch(), which supports no client certificates and hides an answer that is not HTTP.
 */
export function startHttpCall(options: HttpCall): RunningCall {
  let abort = (): void => {};
  const outcome = new Promise<HttpOutcome>((resolve) => {
    abort = start(options, resolve, true);
  }).catch((error: unknown) => brokenBy(error));
  return { outcome, abort: () => abort() };
}

function start(options: HttpCall, resolve: (outcome: HttpOutcome) => void, mayRetry: boolean): () => void {
  const { target, path, agent, method, body, clock, connectTimeoutMs, timeoutMs, maxBytes, isTls } = options;
  const { socketPath } = target;
  const where = socketPath === undefined ? dialOptions(target) : { socketPath };
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...options.headers, ...length };
  const request = (isTls ? requestHttps : requestHttp)({ ...where, path, agent, method, headers });
  let isOver = false;
  let abortRetry: (() => void) | null = null;
  const finish = (outcome: HttpOutcome): void => {
    if (isOver) return;
    isOver = true;
    timer.cancel();
    resolve(outcome);
    if (outcome.kind !== 'answer' || outcome.status !== 200) request.destroy();
  };
  const late = (what: 'connection' | 'answer', ms: number) =>
    clock.setTimeout(() => finish({ kind: 'late', what, timeoutMs: ms }), ms);
  let timer = late('connection', connectTimeoutMs);
  request.on('socket', (socket: Socket) => {
    const onReady = (): void => {
      if (isOver) return;
      timer.cancel();
      timer = late('answer', timeoutMs);
    };
    if (request.reusedSocket) onReady();
    else socket.once(isTls ? 'secureConnect' : 'connect', onReady);
  });
  request.on('response', (response) => {
    readAnswer(response, maxBytes).then(finish, (error: unknown) => finish(brokenBy(error)));
  });
  request.on('error', (error) => {
    if (isOver) return;
    // The server closed an idle connection at the moment of its reuse. This is not a failure of the server.
    if (mayRetry && request.reusedSocket && brokenBy(error).code === 'ECONNRESET') {
      isOver = true;
      timer.cancel();
      abortRetry = start(options, resolve, false);
      return;
    }
    finish(brokenBy(error));
  });
  request.end(body);
  return () => (abortRetry === null ? finish({ kind: 'aborted' }) : abortRetry());
}

async function readAnswer(response: IncomingMessage, maxBytes: number): Promise<HttpOutcome> {
  const status = response.statusCode ?? 0;
  const isGood = status === 200;
  const { 'content-length': length } = response.headers;
  const announcedBytes = length === undefined ? null : Number(length);
  if (isGood && (announcedBytes ?? 0) > maxBytes)
    return { kind: 'too-large', maxBytes, receivedBytes: 0, announcedBytes };
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (isGood && sizeBytes > maxBytes)
      return { kind: 'too-large', maxBytes, receivedBytes: sizeBytes, announcedBytes };
    chunks.push(chunk);
    hash.update(chunk);
    if (!isGood && sizeBytes > maxErrorBodyBytes) break;
  }
  const {
    'content-type': contentType = '',
    'content-encoding': contentEncoding = '',
    location = '',
  } = response.headers;
  const body = Buffer.concat(chunks);
  return { kind: 'answer', status, contentType, contentEncoding, location, body, hash: hash.digest('hex') };
}

function brokenBy(error: unknown): Extract<HttpOutcome, { kind: 'broken' }> {
  if (!(error instanceof Error))
    return { kind: 'broken', code: '', details: String(error), firstBytes: null };
  const { code = '', rawPacket } = error as Error & { code?: unknown; rawPacket?: unknown };
  const firstBytes = Buffer.isBuffer(rawPacket) ? rawPacket.subarray(0, 64) : null;
  // If several addresses were tried, the first error is reported.
  const [inner] = error instanceof AggregateError ? error.errors : [];
  if (inner !== undefined && error.message === '') return brokenBy(inner);
  return { kind: 'broken', code: String(code), details: error.message, firstBytes };
}
