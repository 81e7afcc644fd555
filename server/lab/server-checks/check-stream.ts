import { messageOf } from '@/lib/format/message-of';
import type { CheckMessage } from '@/lib/server-checks/server-check';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { encodeBody } from '../../codec/encode-body';
import { messageType } from '../../codec/root';
import type { StreamEnd, Transport, TransportStream } from '../../collect/xds/stream/transport';
import type { Clock } from '../../observe';
import { namesOfResources } from './resource-names';

const discovery = 'envoy.service.discovery.v3';

/** The fields of a request in proto3 JSON, without the node. */
export interface CheckRequest {
  readonly typeUrl: string;
  readonly versionInfo?: string;
  readonly responseNonce?: string;
  readonly resourceNames?: readonly string[];
  readonly resourceNamesSubscribe?: readonly string[];
  readonly resourceNamesUnsubscribe?: readonly string[];
  readonly initialResourceVersions?: Readonly<Record<string, string>>;
  readonly errorDetail?: { readonly code: number; readonly message: string };
  /** Replaces the node of the stream, which only the first request has otherwise. */
  readonly node?: Readonly<Record<string, unknown>>;
}

/** A response, of either variant. */
export interface CheckResponse {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  readonly names: readonly string[];
  readonly removed: readonly string[];
  /** The version of each resource by its name, in delta. */
  readonly versions: Readonly<Record<string, string>>;
  /** Equal texts are equal resources. */
  readonly content: string;
  /** Names of resources without a body, and of resources with an error in their place (xDS proposal TP3). */
  readonly bodiless: readonly string[];
  readonly errors: readonly string[];
}

interface CheckStreamOptions {
  readonly transport: Transport;
  readonly method: DiscoveryMethod;
  /** envoy.config.core.v3.Node in proto3 JSON. */
  readonly node: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly number: number;
  readonly beganAt: EpochMs;
  /** Called with each message of either side. */
  readonly record: (message: CheckMessage) => void;
}

/** One ADS stream of a check, which sends what a check states and records what both sides send. */
export class CheckStream {
  readonly responses: CheckResponse[] = [];
  readonly #options: CheckStreamOptions;
  readonly #stream: TransportStream;
  readonly #waiting = new Set<() => void>();
  #end: StreamEnd | undefined;
  /** Set if the check ended the stream because of a response. */
  #fault: string | undefined;
  #isFirst = true;

  constructor(options: CheckStreamOptions) {
    this.#options = options;
    this.#stream = options.transport.openStream(options.method, {
      onConnected: () => undefined,
      onMessage: () => this.#begin(),
      onEnd: (end) => {
        this.#end = end;
        this.#wake();
      },
    });
  }

  get isDelta(): boolean {
    return this.#options.method.isDelta;
  }

  /** The way in which the stream ended, as a part of a sentence. undefined: it is open. */
  get ended(): string | undefined {
    if (this.#fault !== undefined) return this.#fault;
    return (
      this.#end && `the stream ended with ${this.#end.code}${this.#end.details && `: ${this.#end.details}`}`
    );
  }

  /** Resolves to the explanation of a stream that ended, or undefined if there is none. */
  async explainEnd(): Promise<string | undefined> {
    return (await this.#end?.explain())?.message;
  }

  of({ typeUrl }: { readonly typeUrl: string }): CheckResponse[] {
    return this.responses.filter((each) => each.typeUrl === typeUrl);
  }

  /** Only the first request has the node, as the protocol allows. */
  send(request: CheckRequest): void {
    const { node, record } = this.#options;
    const type = `${discovery}.${this.isDelta ? 'DeltaDiscoveryRequest' : 'DiscoveryRequest'}`;
    const fields = { ...(this.#isFirst && { node }), ...request };
    this.#isFirst = false;
    record({
      ...this.#place(true, request.typeUrl),
      version: request.versionInfo ?? '',
      nonce: request.responseNonce ?? '',
      names: request.resourceNames ?? request.resourceNamesSubscribe ?? [],
      removed: request.resourceNamesUnsubscribe ?? [],
      error: request.errorDetail?.message ?? '',
    });
    this.#stream.send(encodeBody(type, fields));
  }

  /** `names`: the subscription of a state-of-the-world stream. */
  ack({ typeUrl, nonce, version }: CheckResponse, names: readonly string[] = []): void {
    this.send(
      this.isDelta
        ? { typeUrl, responseNonce: nonce }
        : { typeUrl, responseNonce: nonce, versionInfo: version, resourceNames: names },
    );
  }

  /** `version`: the last accepted one, in state of the world; empty: there is none. */
  nack({ typeUrl, nonce }: CheckResponse, names: readonly string[] = [], version = ''): void {
    const errorDetail = { code: 3, message: 'rejected by a server check of xdscope' };
    this.send(
      this.isDelta
        ? { typeUrl, responseNonce: nonce, errorDetail }
        : { typeUrl, responseNonce: nonce, versionInfo: version, resourceNames: names, errorDetail },
    );
  }

  /** Resolves when the condition holds, when the stream has ended, or after `mostMs`. */
  async until(holds: () => boolean, mostMs: number): Promise<void> {
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const finish = () => {
        timer.cancel();
        this.#waiting.delete(check);
        resolve();
      };
      const check = () => {
        if (holds() || this.#end !== undefined) finish();
      };
      const timer = clock.setTimeout(finish, mostMs);
      this.#waiting.add(check);
      check();
    });
  }

  /** Returns the response of the type that follows the first `count`, or undefined if there is none in time. */
  async next(
    type: { readonly typeUrl: string },
    count: number,
    mostMs: number,
  ): Promise<CheckResponse | undefined> {
    await this.until(() => this.of(type).length > count, mostMs);
    return this.of(type)[count];
  }

  close(): void {
    this.#stream.cancel('not-wanted');
  }

  #begin() {
    const pieces: Buffer[] = [];
    return {
      write: (bytes: Buffer) => void pieces.push(bytes),
      end: () => {
        try {
          this.#take(readResponse(Buffer.concat(pieces), this.isDelta));
        } catch (error) {
          this.#fault = `it sent a response that cannot be decoded: ${messageOf(error)}`;
          this.close();
        }
        return undefined;
      },
    };
  }

  #take(response: CheckResponse): void {
    this.responses.push(response);
    const { typeUrl, version, nonce, names, removed, errors } = response;
    this.#options.record({
      ...this.#place(false, typeUrl),
      ...{ version, nonce, names, removed, error: errors.join(', ') },
    });
    this.#wake();
  }

  #place(isSent: boolean, typeUrl: string) {
    const { number, clock, beganAt } = this.#options;
    return { isSent, stream: number, afterMs: clock.now() - beganAt, typeUrl };
  }

  #wake(): void {
    for (const check of [...this.#waiting]) check();
  }
}

function readResponse(bytes: Buffer, isDelta: boolean): CheckResponse {
  const type = messageType(`${discovery}.${isDelta ? 'DeltaDiscoveryResponse' : 'DiscoveryResponse'}`);
  const fields: Record<string, unknown> = type.toObject(type.decode(bytes), { defaults: true, arrays: true });
  const resources: unknown[] = Array.isArray(fields.resources) ? fields.resources : [];
  const errors: unknown[] = Array.isArray(fields.resourceErrors) ? fields.resourceErrors : [];
  return {
    typeUrl: String(fields.typeUrl),
    version: String(fields.versionInfo ?? fields.systemVersionInfo ?? ''),
    nonce: String(fields.nonce),
    ...namesOfResources(resources, isDelta),
    errors: errors.map((each) => String(Object(Object(each).resourceName).name)),
    removed: Array.isArray(fields.removedResources) ? fields.removedResources.map(String) : [],
  };
}

/** "CDS with c1, c2 (version 3)". */
export function describeResponse(response: CheckResponse | undefined): string {
  if (response === undefined) return 'no response';
  const { typeUrl, names, removed, version } = response;
  const sent = names.length === 0 ? 'without resources' : `with ${formatNames(names)}`;
  const gone = removed.length === 0 ? '' : `, removing ${formatNames(removed)}`;
  return `${formatResourceType(typeUrl)} ${sent}${gone}${version && ` (version ${version})`}`;
}

/** "it sent a, b", or "nothing was sent". */
export function describeSent(names: readonly string[]): string {
  return names.length === 0 ? 'nothing was sent' : `it sent ${formatNames(names)}`;
}

const namesShown = 10;

/** "a, b and 3 more". */
export function formatNames(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).join(', ');
  return names.length <= namesShown ? shown : `${shown} and ${names.length - namesShown} more`;
}
