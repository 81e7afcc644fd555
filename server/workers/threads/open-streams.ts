import type { Observation, StreamOpened } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';

interface OpenStream {
  readonly opened: StreamOpened;
  hadResponse: boolean;
}

/** Tracks the open streams of a source in another thread, which may end unexpectedly, by its observations. */
export class OpenStreams {
  readonly #streams = new Map<string, OpenStream>();
  /** Clients with an open stream, and the time of the newest observation of each. */
  readonly clients = new Map<string, EpochMs>();

  follow(observation: Observation): void {
    if (!('streamId' in observation)) return;
    const { streamId, clientId, at } = observation;
    if (observation.kind === 'stream-closed') {
      this.#streams.delete(streamId);
      if ((observation.othersOpen ?? 0) === 0) {
        this.clients.delete(clientId);
        return;
      }
    } else if (observation.kind === 'stream-opened') {
      this.#streams.set(streamId, { opened: observation, hadResponse: observation.vantage === 'lrs' });
    } else if (observation.kind === 'response-received') {
      const stream = this.#streams.get(streamId);
      if (stream !== undefined) stream.hadResponse = true;
    }
    this.clients.set(clientId, at);
  }

  find(streamId: string): StreamOpened | undefined {
    return this.#streams.get(streamId)?.opened;
  }

  *[Symbol.iterator](): Generator<StreamOpened> {
    for (const { opened } of this.#streams.values()) yield opened;
  }

  /** Returns the ends of streams, by default of all, after the thread that held them ended unexpectedly. */
  end(
    at: EpochMs,
    end: { readonly code: string; readonly details: string },
    isEnded: (opened: StreamOpened) => boolean = () => true,
  ): Observation[] {
    const left = new Map<string, number>();
    for (const { clientId } of this) left.set(clientId, (left.get(clientId) ?? 0) + 1);
    const ended = [...this.#streams].filter(([, { opened }]) => isEnded(opened));
    return ended.map(([streamId, { opened, hadResponse }]): Observation => {
      const { vantage, sourceId, clientId } = opened;
      const othersOpen = (left.get(clientId) ?? 1) - 1;
      left.set(clientId, othersOpen);
      this.#streams.delete(streamId);
      if (othersOpen === 0) this.clients.delete(clientId);
      return {
        ...{ kind: 'stream-closed', at, vantage, sourceId, clientId, streamId, ...end, hadResponse },
        ...(othersOpen > 0 && { othersOpen }),
      };
    });
  }
}
