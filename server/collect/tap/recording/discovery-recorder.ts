import { hasStreamPerTarget, scopeOfListeners, scopeOfProbe } from '@/lib/xds/client-scope';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { LDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { MessageHandler, Receipt, StreamClient } from '../recorded-stream';
import { decodeRequest, type ObservedRequest } from './decode-request';
import { DiscoveryStream, type DiscoveryStreamOptions } from './discovery-stream';

interface DiscoveryRecorderOptions extends Omit<DiscoveryStreamOptions, 'client' | 'scope'> {
  /** The client of a stream that an earlier recording thread has identified. */
  readonly known: StreamClient | null;
  readonly readNode: (node: object | null) => StreamClient['node'];
  readonly identify: (node: StreamClient['node'], scope: string) => StreamClient;
}

/** The user agent of our own probes. */
export const ownUserAgent = 'xdscope';
/** A client requests its listeners at once, unless it has none on this stream. */
const awaitListenersMs = 500;
const maxEarlyMessages = 20;
const maxEarlyBytes = 4 * 1024 * 1024;

type Early = {
  readonly direction: 'onRequest' | 'onResponse';
  readonly message: Buffer;
  readonly receipt: Receipt;
};

/**
 * Identifies the client of a stream, and records the stream. gRPC clients have a stream for each target, all with the
 * same node (gRFC A71): the stream is of the target whose listener it requests. A stream that replaces another one may
 * request other types first.
 */
export class DiscoveryRecorder implements MessageHandler {
  readonly #options: DiscoveryRecorderOptions;
  #stream: DiscoveryStream | null = null;
  #node: StreamClient['node'] | null = null;
  /** The messages before the client was identified. */
  #early: Early[] = [];
  #earlyBytes = 0;

  constructor(options: DiscoveryRecorderOptions) {
    this.#options = options;
    const { known } = options;
    if (known !== null) this.#stream = new DiscoveryStream({ ...options, client: known, scope: null });
  }

  get client(): StreamClient | null {
    return this.#stream?.client ?? null;
  }

  get hadResponse(): boolean {
    return this.#stream?.hadResponse ?? false;
  }

  onRequest(message: Buffer, receipt: Receipt): void {
    if (this.#stream !== null) {
      this.#stream.onRequest(message, receipt);
      return;
    }
    const { method, readNode, onUnreadable } = this.#options;
    const { isDelta } = method;
    const typeUrl = method.type?.typeUrl ?? null;
    const decoded = decodeRequest(message, { isDelta, typeUrl, withNode: this.#node === null });
    if (decoded.kind === 'unreadable') {
      onUnreadable(decoded.reason);
      return;
    }
    this.#node ??= readNode(decoded.request.node);
    this.#hold({ direction: 'onRequest', message, receipt });
    const scope = findScope(this.#node, decoded.request, method);
    if (scope !== undefined) this.#identify(this.#node, scope);
  }

  onResponse(message: Buffer, receipt: Receipt): void {
    if (this.#stream !== null) this.#stream.onResponse(message, receipt);
    else if (this.#node !== null) this.#hold({ direction: 'onResponse', message, receipt });
    else this.#options.onUnreadable('a response on a stream whose first request was not recorded');
  }

  onGap(at: EpochMs): void {
    this.#identifyWithoutListeners();
    this.#stream?.onGap(at);
  }

  onClosed(): void {
    this.#stream?.onClosed();
  }

  checkAnswers(now: EpochMs): boolean {
    const [first] = this.#early;
    if (first !== undefined && now - first.receipt.at < awaitListenersMs) return true;
    this.#identifyWithoutListeners();
    return this.#stream?.checkAnswers(now) ?? false;
  }

  #hold(early: Early): void {
    this.#early.push(early);
    this.#earlyBytes += early.message.length;
    if (this.#early.length > maxEarlyMessages || this.#earlyBytes > maxEarlyBytes) {
      this.#identifyWithoutListeners();
    }
  }

  #identifyWithoutListeners(): void {
    if (this.#stream === null && this.#node !== null) this.#identify(this.#node, '');
  }

  #identify(node: StreamClient['node'], scope: string): void {
    if (this.#stream !== null) return;
    const stream = new DiscoveryStream({
      ...this.#options,
      client: this.#options.identify(node, scope),
      scope,
    });
    this.#stream = stream;
    for (const { direction, message, receipt } of this.#early.splice(0)) stream[direction](message, receipt);
  }
}

/** Returns undefined if a later request has to be awaited. */
function findScope(
  node: StreamClient['node'],
  { typeUrl, resourceNames }: ObservedRequest,
  { type, isDelta }: Pick<DiscoveryMethod, 'type' | 'isDelta'>,
): string | undefined {
  if (node.userAgentName === ownUserAgent) {
    const [sotw, delta] = type === null ? (['ads', 'delta-ads'] as const) : (['sotw', 'delta'] as const);
    return scopeOfProbe(node.id, isDelta ? delta : sotw);
  }
  if (type !== null || !hasStreamPerTarget(node)) return '';
  return typeUrl === LDS.typeUrl ? scopeOfListeners(resourceNames) : undefined;
}
