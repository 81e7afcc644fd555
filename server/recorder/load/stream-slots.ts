/** Numbers the streams of each client from 0 on. The numbers of closed streams are reused. */
export class StreamSlots {
  readonly #ofClient = new Map<string, (string | undefined)[]>();

  slotOf(sourceId: string, clientId: string, streamId: string): number {
    const key = `${sourceId}\u0000${clientId}`;
    const slots = this.#ofClient.get(key) ?? [];
    this.#ofClient.set(key, slots);
    const known = slots.indexOf(streamId);
    if (known >= 0) return known;
    const free = slots.indexOf(undefined);
    const slot = free >= 0 ? free : slots.length;
    slots[slot] = streamId;
    return slot;
  }

  release(sourceId: string, clientId: string, streamId: string): void {
    const key = `${sourceId}\u0000${clientId}`;
    const slots = this.#ofClient.get(key);
    const slot = slots?.indexOf(streamId) ?? -1;
    if (slots === undefined || slot < 0) return;
    slots[slot] = undefined;
    if (slots.every((each) => each === undefined)) this.#ofClient.delete(key);
  }
}
