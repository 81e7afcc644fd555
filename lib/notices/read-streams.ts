import type { Recorded } from '../observation/observation';
import type { ResourceKey } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';

/** One xDS stream of a client, as its observations describe it. */
export interface ReadStream {
  readonly streamId: string;
  readonly server: string;
  readonly openedSeq: number;
  /** null: it is open. */
  closed: { readonly at: EpochMs; readonly seq: number } | null;
  /** By type, the requested names. A type without names is requested as a whole. */
  readonly requested: Map<string, ReadonlySet<string>>;
  /** By type, the response that was not answered. */
  readonly pending: Map<string, { readonly nonce: string; readonly at: EpochMs; readonly names: string[] }>;
}

/** The streams whose opening is in the history, in that order. State of the world: a request names all resources. */
export function readStreams(history: readonly Recorded[]): ReadStream[] {
  const streams = new Map<string, ReadStream>();
  for (const observation of history) {
    if (observation.kind === 'stream-opened') {
      const { streamId, server, seq } = observation;
      streams.set(streamId, {
        ...{ streamId, server, openedSeq: seq, closed: null },
        ...{ requested: new Map(), pending: new Map() },
      });
    }
    const stream = 'streamId' in observation ? streams.get(observation.streamId) : undefined;
    if (stream !== undefined) addTo(stream, observation);
  }
  return [...streams.values()];
}

/** The resources that the stream requests by name. */
export function requestedKeys({ requested }: ReadStream): ResourceKey[] {
  return [...requested].flatMap(([typeUrl, names]) => [...names].map((name) => ({ typeUrl, name })));
}

/** MUTATES `stream`. */
function addTo(stream: ReadStream, observation: Recorded): void {
  switch (observation.kind) {
    case 'stream-closed':
      stream.closed = { at: observation.at, seq: observation.seq };
      return;
    case 'request-sent':
      readNames(stream, observation);
      return;
    case 'response-received': {
      const { typeUrl, nonce, at, resources } = observation;
      stream.pending.set(typeUrl, { nonce, at, names: resources.map(({ name }) => name) });
      return;
    }
    case 'ack-sent':
    case 'nack-sent': {
      const { typeUrl, nonce } = observation;
      readNames(stream, observation);
      if (stream.pending.get(typeUrl)?.nonce === nonce) stream.pending.delete(typeUrl);
      return;
    }
  }
}

type Request = Extract<Recorded, { readonly kind: 'request-sent' | 'ack-sent' | 'nack-sent' }>;

/** Only the first part of a message has its names. MUTATES `stream`. */
function readNames({ requested }: ReadStream, { typeUrl, resourceNames, part }: Request): void {
  if (resourceNames !== undefined && (part?.number ?? 1) === 1)
    requested.set(typeUrl, new Set(resourceNames));
}
