import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { messageOf } from '@/lib/format/message-of';
import { findTypeOfRestPath } from '@/lib/xds/rest-path';
import type { Clock } from '../../observe';
import { coveredBy } from './covered-resources';
import { InvalidRequest } from './discovery-messages';
import { decodeRestRequest, encodeRestResponse, type RestRequest } from './rest-messages';
import type { ResourceView } from './snapshot-store';

import { noSubscription, subscribeSotw } from './subscription';

/** The interface of the management server that the front uses. */
interface RestFrontSource {
  view(nodeId: string, typeUrl: string): ResourceView;
  /** Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  nextNonce(): string;
}

export interface RestFrontOptions {
  readonly clock: Clock;
  /** The time for which a poll is held before it is answered with 304; 0 answers immediately (go-control-plane). */
  readonly longPollMs?: number;
  /** Names are in snake_case, as in go-control-plane. */
  readonly protoNames?: boolean;
  readonly tls?: TlsOptions;
  /** Tests determine the answer to a poll by it; `'silence'` is none. */
  readonly script?: (poll: Poll) => ScriptedAnswer | 'silence' | undefined;
}

interface Poll extends RestRequest {
  readonly path: string;
  readonly typeUrl: string;
  readonly authorization: string | undefined;
}

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The limit suffices for the names of 100,000 resources. */
const maxRequestBytes = 16 * 1024 * 1024;

/**
 * REST-JSON polling in front of a management server: POST /v3/discovery:clusters and the like, also v2. Answers 304
 * while the version in the request is current. As in go-control-plane, only the version is compared.
 */
export class RestFront {
  readonly #source: RestFrontSource;
  readonly #options: RestFrontOptions;

  /** Every valid poll, oldest first. */
  readonly polls: Poll[] = [];
  readonly #server: Server;
  readonly #held = new Set<() => void>();
  readonly #unlisten: () => void;

  constructor(source: RestFrontSource, options: RestFrontOptions) {
    this.#source = source;
    this.#options = options;
    const receive = (request: IncomingMessage, response: ServerResponse): void => {
      void this.#receive(request, response);
    };
    const { tls } = options;
    this.#server = tls === undefined ? createServer(receive) : createTlsServer(tls, receive);
    this.#unlisten = source.onChange(() => this.#answerHeld());
  }

  /** Resolves to the target, "127.0.0.1:PORT". */
  listen(port = 0): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        resolve(`127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
      });
    });
  }

  /** Ends connections immediately. `listen` can be called again. */
  close(): Promise<void> {
    this.#unlisten();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const found = findTypeOfRestPath(path);
    if (found === undefined) return fail(response, 404, `expected a path such as /v3/discovery:clusters`);
    if (request.method !== 'POST') return fail(response, 405, `expected POST, got ${request.method}`);
    try {
      const poll: Poll = {
        ...decodeRestRequest(await readBody(request)),
        path,
        typeUrl: found.typeUrl,
        authorization: request.headers.authorization,
      };
      this.polls.push(poll);
      this.#answer(poll, found.apiVersion, response);
    } catch (error) {
      if (error instanceof InvalidRequest) fail(response, 400, error.message);
      else fail(response, 500, messageOf(error));
    }
  }

  #answer(poll: Poll, apiVersion: 'v3' | 'v2', response: ServerResponse): void {
    const scripted = this.#options.script?.(poll);
    if (scripted === 'silence') return;
    if (scripted !== undefined) {
      response.writeHead(scripted.status, { ...scripted.headers }).end(scripted.body);
      return;
    }
    if (this.#send(poll, apiVersion, response)) return;
    const { longPollMs = 0, clock } = this.#options;
    if (longPollMs === 0) {
      response.writeHead(304).end();
      return;
    }
    const finish = (): void => {
      timer.cancel();
      this.#held.delete(retry);
    };
    const retry = (): void => {
      if (this.#send(poll, apiVersion, response)) finish();
    };
    const timer = clock.setTimeout(() => {
      finish();
      response.writeHead(304).end();
    }, longPollMs);
    this.#held.add(retry);
    response.once('close', finish);
  }

  #answerHeld(): void {
    for (const retry of [...this.#held]) retry();
  }

  /** Returns false if nothing has changed. */
  #send(poll: Poll, apiVersion: 'v3' | 'v2', response: ServerResponse): boolean {
    const { typeUrl, node, versionInfo, resourceNames } = poll;
    const view = this.#source.view(node.id ?? '', typeUrl);
    if (view.version === versionInfo) return false;
    const resources = coveredBy(subscribeSotw(noSubscription, resourceNames), view);
    const envelope = { typeUrl, versionInfo: view.version, nonce: this.#source.nextNonce() };
    const protoNames = this.#options.protoNames ?? false;
    const body = encodeRestResponse(envelope, resources, { apiVersion, protoNames });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    return true;
  }
}

function fail(response: ServerResponse, status: number, message: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain' }).end(message);
}

/** Throws InvalidRequest if the body is too large. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxRequestBytes) throw new InvalidRequest(`expected at most ${maxRequestBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
