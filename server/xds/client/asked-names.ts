import type { SentRequest } from '../stream/xds-channel';

type Asked = Pick<SentRequest, 'typeUrl' | 'resourceNames' | 'isDelta'>;

/** What requests asked for last, by stream and type: an answer that names the same again says nothing new. MUTABLE. */
export class AskedNames {
  readonly #byStream = new Map<string, Map<string, readonly string[]>>();

  note(streamId: string, { typeUrl, resourceNames }: Asked): void {
    const types = this.#byStream.get(streamId) ?? new Map<string, readonly string[]>();
    this.#byStream.set(streamId, types.set(typeUrl, resourceNames));
  }

  /** Does an ACK or a NACK ask for something else than the newest request? */
  isAnew(streamId: string, { typeUrl, resourceNames, isDelta }: Asked): boolean {
    if (isDelta) return resourceNames.length > 0;
    const before = this.#byStream.get(streamId)?.get(typeUrl);
    return (
      before === undefined ||
      // Mostly it is the very same list, of 100,000 names maybe.
      (before !== resourceNames &&
        (before.length !== resourceNames.length ||
          resourceNames.some((name, index) => name !== before[index])))
    );
  }

  forget(streamId: string): void {
    this.#byStream.delete(streamId);
  }
}
