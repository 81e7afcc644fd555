import type { Problem } from '@/lib/observation/observation';
import { formatResourceType } from '@/lib/xds/resource-type';
import { UnservedTypes } from '../stream/unserved-types';
import type {
  SentRequest,
  Subscription,
  ValidatedResponse,
  XdsChannel,
  XdsChannelHandler,
} from '../stream/xds-channel';
import { type FileSource, FileSubscription, type FileSubscriptionOptions } from './file-subscription';

export interface FileChannelOptions extends Omit<FileSubscriptionOptions, 'debounceMs' | 'pollIntervalMs'> {
  readonly files: ReadonlyMap<string, FileSource>;
  readonly debounceMs?: number;
  readonly pollIntervalMs?: number;
}

const defaultDebounceMs = 50;
/** Finds changes for which the system reports no event. Envoy, which relies on events, would miss them. */
const defaultPollIntervalMs = 5_000;

/** An xDS filesystem subscription: one file for each type instead of a management server. */
export class FileChannel implements XdsChannel {
  readonly #subscriptions: ReadonlyMap<string, FileSubscription>;
  readonly #unserved: UnservedTypes;

  constructor(options: FileChannelOptions, handler: XdsChannelHandler) {
    this.#unserved = new UnservedTypes(explainMissingFile, options.nextStreamId, handler);
    const each = { debounceMs: defaultDebounceMs, pollIntervalMs: defaultPollIntervalMs, ...options };
    this.#subscriptions = new Map(
      [...options.files].map(([typeUrl, source]) => [
        typeUrl,
        new FileSubscription(typeUrl, source, each, handler),
      ]),
    );
  }

  start(): void {
    this.#unserved.start();
    for (const subscription of this.#subscriptions.values()) subscription.start();
  }

  async stop(): Promise<void> {
    this.#unserved.stop();
    await Promise.all([...this.#subscriptions.values()].map((subscription) => subscription.stop()));
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    const found = this.#subscriptions.get(typeUrl);
    if (found === undefined) this.#unserved.subscribe(typeUrl, subscription);
    else found.subscribe(subscription);
  }

  answer(response: ValidatedResponse): readonly SentRequest[] {
    const answered = this.#subscriptions.get(response.typeUrl)?.answer(response);
    return answered === undefined ? [] : [answered];
  }
}

function explainMissingFile(typeUrl: string): Problem {
  const message = `${formatResourceType(typeUrl)}: expected a file for this type, got none in the settings`;
  return { code: 'NOT_SERVED', message, hint: '' };
}
