import { type FileSource, FileSubscription, type FileSubscriptionOptions } from './file-subscription';
import type { JudgedResponse, SentRequest, Subscription, XdsChannel, XdsChannelHandler } from './xds-channel';

export interface FileChannelOptions extends Omit<FileSubscriptionOptions, 'debounceMs' | 'pollIntervalMs'> {
  /** By type URL. */
  readonly files: ReadonlyMap<string, FileSource>;
  readonly debounceMs?: number;
  readonly pollIntervalMs?: number;
}

const defaultDebounceMs = 50;
/** For what no event tells of; Envoy, which has events alone, would not see it. */
const defaultPollIntervalMs = 5_000;

/** Files in the place of a management server (xDS filesystem subscription): each type has one, with all of it. */
export class FileChannel implements XdsChannel {
  readonly #subscriptions: ReadonlyMap<string, FileSubscription>;

  constructor(options: FileChannelOptions, handler: XdsChannelHandler) {
    const each = { debounceMs: defaultDebounceMs, pollIntervalMs: defaultPollIntervalMs, ...options };
    this.#subscriptions = new Map(
      [...options.files].map(([typeUrl, source]) => [
        typeUrl,
        new FileSubscription(typeUrl, source, each, handler),
      ]),
    );
  }

  start(): void {
    for (const subscription of this.#subscriptions.values()) subscription.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#subscriptions.values()].map((subscription) => subscription.stop()));
  }

  /** A type without a file stays without an answer. */
  subscribe(typeUrl: string, subscription: Subscription): void {
    this.#subscriptions.get(typeUrl)?.subscribe(subscription);
  }

  answer(response: JudgedResponse): SentRequest | undefined {
    return this.#subscriptions.get(response.typeUrl)?.answer(response);
  }
}
