import { notServed } from '../client/not-served';
import {
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
  type XdsChannel,
  type XdsChannelHandler,
} from '../stream/xds-channel';
import { type FileSource, FileSubscription, type FileSubscriptionOptions } from './file-subscription';

export interface FileChannelOptions extends Omit<FileSubscriptionOptions, 'debounceMs' | 'pollIntervalMs'> {
  /** By type URL. */
  readonly files: ReadonlyMap<string, FileSource>;
  readonly debounceMs?: number;
  readonly pollIntervalMs?: number;
}

const defaultDebounceMs = 50;
/** For what no event reports; Envoy, which has events alone, would not see it. */
const defaultPollIntervalMs = 5_000;

/** Files in the place of a management server (xDS filesystem subscription): each type has one, with all of it. */
export class FileChannel implements XdsChannel {
  readonly #subscriptions: ReadonlyMap<string, FileSubscription>;
  /** Types without a file of which something is wanted, and whether that was reported since the start. */
  readonly #notServed = new Map<string, boolean>();
  #isStarted = false;

  constructor(
    private readonly options: FileChannelOptions,
    private readonly handler: XdsChannelHandler,
  ) {
    const each = { debounceMs: defaultDebounceMs, pollIntervalMs: defaultPollIntervalMs, ...options };
    this.#subscriptions = new Map(
      [...options.files].map(([typeUrl, source]) => [
        typeUrl,
        new FileSubscription(typeUrl, source, each, handler),
      ]),
    );
  }

  start(): void {
    this.#isStarted = true;
    this.#emitNotServed();
    for (const subscription of this.#subscriptions.values()) subscription.start();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    for (const typeUrl of this.#notServed.keys()) this.#notServed.set(typeUrl, false);
    await Promise.all([...this.#subscriptions.values()].map((subscription) => subscription.stop()));
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    const found = this.#subscriptions.get(typeUrl);
    if (found !== undefined) found.subscribe(subscription);
    else if (!isWanted(subscription)) this.#notServed.delete(typeUrl);
    else if (!this.#notServed.has(typeUrl)) this.#notServed.set(typeUrl, false);
    if (this.#isStarted) this.#emitNotServed();
  }

  answer(response: ValidatedResponse): readonly SentRequest[] {
    const answered = this.#subscriptions.get(response.typeUrl)?.answer(response);
    return answered === undefined ? [] : [answered];
  }

  #emitNotServed(): void {
    for (const [typeUrl, isReported] of this.#notServed) {
      if (isReported) continue;
      this.#notServed.set(typeUrl, true);
      const why = 'expected a file for this type, got none in the settings';
      this.handler.onStreamClosed(this.options.nextStreamId(), notServed(typeUrl, why));
    }
  }
}
