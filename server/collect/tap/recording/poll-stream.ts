import { createHash } from 'node:crypto';
import { inferredText } from '@/lib/nacks/error-text';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import type { EpochMs } from '@/lib/xds/units';
import type { ResponseEnvelope } from '../../xds/response/response-envelope';
import type { Dropped, Receipt } from '../recorded-stream';
import type { ObservedRequest } from './decode-request';
import type { DiscoveryStream } from './discovery-stream';

interface OpenedPolls {
  readonly streamId: string;
  readonly discovery: DiscoveryStream;
}

interface PollStreamOptions {
  readonly tap: number;
  readonly key: string;
  readonly open: (at: EpochMs, peer: string, server: string) => OpenedPolls;
  readonly onFailed: (stream: PollStream, at: EpochMs, code: string, details: string) => void;
}

/** The place where a poll was received. */
interface PollPlace {
  readonly connectionId: string;
  readonly peer: string;
  readonly server: string;
}

interface Polled {
  readonly request: ObservedRequest;
  readonly place: PollPlace;
  readonly receipt: Receipt;
}

interface Answered {
  readonly envelope: ResponseEnvelope;
  /** The version_info of the poll. */
  readonly polledVersion: string;
}

/** A client whose polls have no known interval, or whose connection is open, is silent for longer. */
const silentMs = { least: 10_000, unknown: 60_000 };
const intervalsAwaited = 3;

const noChange =
  'REST has no ACK: the response has the same version_info as the poll before it, so the next poll does not show whether the client accepted it';

const withdrawn = 'the management server no longer serves the version that was rejected';

/**
 * The polls of one subscription. REST has neither ACK nor NACK: a poll has the version_info that the client accepted last. If it
 * is that of the last response, the client accepted that. If it is still the one before, the client rejected the response.
 */
export class PollStream {
  readonly #options: PollStreamOptions;
  #opened: OpenedPolls | null = null;
  /** A poll after an error is reported when it is answered. */
  #heldBack: Polled | null = null;
  #hasFailed = false;
  #names: ReadonlySet<string> = new Set();
  #last: { readonly request: ObservedRequest; readonly place: PollPlace; readonly at: EpochMs } | null = null;
  #isConnected = false;
  #awaited = 0;
  #longestMs = 0;
  /** The response that the next poll answers. */
  #answered: Answered | null = null;
  /** A rejected response, which the client may receive again and accept. */
  #rejected: Answered | null = null;
  #lastDigest = '';

  constructor(options: PollStreamOptions) {
    this.#options = options;
  }

  get tap(): number {
    return this.#options.tap;
  }

  get key(): string {
    return this.#options.key;
  }

  /** True if a poll with these names belongs to the subscription: they overlap, or both are for everything. */
  continues(names: ReadonlySet<string>): boolean {
    if (names.size === 0 || this.#names.size === 0) return names.size === this.#names.size;
    return [...names].some((name) => this.#names.has(name));
  }

  /** True if the client has lost the version that it had accepted. */
  isRestart({ versionInfo, resourceNames }: ObservedRequest): boolean {
    const before = this.#last?.request;
    return (
      versionInfo === '' &&
      before !== undefined &&
      before.versionInfo !== '' &&
      JSON.stringify(before.resourceNames) === JSON.stringify(resourceNames)
    );
  }

  /** Returns for how long the client has been silent, or null if it is expected to poll still. */
  silentMs(now: EpochMs): number | null {
    if (this.#last === null || this.#awaited > 0) return null;
    const silent = now - this.#last.at;
    const isKnown = this.#longestMs > 0 && !this.#isConnected;
    const least = isKnown ? silentMs.least : silentMs.unknown;
    return silent > Math.max(least, intervalsAwaited * this.#longestMs) ? silent : null;
  }

  poll(request: ObservedRequest, place: PollPlace, receipt: Receipt): void {
    if (this.#last !== null) this.#longestMs = Math.max(this.#longestMs, receipt.at - this.#last.at);
    this.#last = { request, place, at: receipt.at };
    this.#names = new Set(request.resourceNames.map(normaliseResourceName));
    this.#isConnected = true;
    this.#awaited += 1;
    if (this.#opened === null && this.#hasFailed) this.#heldBack = { request, place, receipt };
    else this.#report({ request, place, receipt });
  }

  isRepeated(body: Buffer): boolean {
    return digestOf(body) === this.#lastDigest;
  }

  /** The same response again. */
  onUnchanged(): void {
    this.#onAnswered();
    this.#answered ??= this.#rejected;
  }

  /** 304: the management server serves the version in the poll, which is the one that the client accepted last. */
  onNotModified(at: EpochMs): void {
    this.#onAnswered();
    const rejected = this.#rejected;
    if (rejected === null) return;
    this.#rejected = null;
    this.#lastDigest = '';
    this.#opened?.discovery.withdraw(rejected.envelope.typeUrl, withdrawn, at);
  }

  onResponse(envelope: ResponseEnvelope, body: Buffer, receipt: Receipt): void {
    this.#onAnswered();
    this.#lastDigest = digestOf(body);
    this.#rejected = null;
    this.#answered = { envelope, polledVersion: this.#last?.request.versionInfo ?? '' };
    this.#opened?.discovery.response(envelope, receipt);
  }

  /** The response was not recorded. What the client does with it is unknown. */
  onDropped(dropped: Dropped, at: EpochMs): void {
    this.#onAnswered();
    this.#answered = null;
    this.#lastDigest = '';
    this.#opened?.discovery.reportDropped(dropped, at);
    this.#opened?.discovery.onGap(at);
  }

  /** The poll failed. A stream that fails again is not reported again. */
  onError(at: EpochMs, code: string, details: string): void {
    this.#awaited = Math.max(0, this.#awaited - 1);
    this.#heldBack = null;
    this.#hasFailed = true;
    if (this.#opened !== null) this.#options.onFailed(this, at, code, details);
  }

  onConnectionClosed(connectionId: string): void {
    if (this.#last?.place.connectionId === connectionId) this.#isConnected = false;
  }

  /** Returns what was open, or null. */
  close(): OpenedPolls | null {
    const opened = this.#opened;
    this.#opened = null;
    this.#answered = null;
    this.#rejected = null;
    this.#lastDigest = '';
    return opened;
  }

  #onAnswered(): void {
    this.#awaited = Math.max(0, this.#awaited - 1);
    this.#hasFailed = false;
    const heldBack = this.#heldBack;
    this.#heldBack = null;
    if (heldBack !== null) this.#report(heldBack);
  }

  #report({ request, place: { peer, server }, receipt }: Polled): void {
    const opened = this.#opened ?? this.#options.open(receipt.at, peer, server);
    this.#opened = opened;
    const { discovery } = opened;
    const answered = this.#answered;
    this.#answered = null;
    if (answered === null) {
      discovery.request({ ...request, responseNonce: '' }, receipt);
      return;
    }
    const { envelope, polledVersion } = answered;
    const { versionInfo: sent, nonce: responseNonce } = envelope;
    const { versionInfo } = request;
    const isInferred = request.responseNonce === '';
    if (versionInfo === sent && sent !== polledVersion) {
      // A response that was rejected is received again before it is accepted.
      if (this.#rejected !== null) discovery.response(envelope, receipt);
      this.#rejected = null;
      discovery.request({ ...request, responseNonce, isInferred }, receipt);
    } else if (versionInfo === polledVersion && sent !== polledVersion) {
      const isKnown = this.#rejected !== null;
      this.#rejected = answered;
      const nack =
        request.errorDetail === null
          ? { ...request, responseNonce, errorDetail: inferred(polledVersion, sent), isInferred: true }
          : { ...request, responseNonce };
      discovery.request(isKnown ? { ...request, responseNonce: '', errorDetail: null } : nack, receipt);
    } else {
      discovery.leaveUnknown(request.typeUrl, noChange, receipt.at);
      discovery.request({ ...request, responseNonce: '' }, receipt);
    }
  }
}

function inferred(kept: string, sent: string): string {
  const before = kept === '' ? 'no version_info' : `version_info ${JSON.stringify(kept)}`;
  return `${inferredText}the poll has no error_detail: the poll after the response still has ${before}, and the response has ${JSON.stringify(sent)}`;
}

function digestOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64');
}
