import type { EpochMs } from '../xds/units';
import type { Recorded } from './observation';

/** An open aggregated stream of a client through a tap. A process has one at a time to each server. */
export interface OpenAdsStream {
  readonly streamId: string;
  /** The address of the client, as in "10.0.0.1:43210". */
  readonly peer: string;
  readonly openedAt: EpochMs;
  /** The time at which the client sent the last message that the log has. */
  readonly sentAt: EpochMs;
}

/** The newest are kept. */
const maxStreams = 20;

/** Returns the streams after the observation; the same list if it does not change them. */
export function followStreams(
  streams: readonly OpenAdsStream[] | undefined,
  observation: Recorded,
): readonly OpenAdsStream[] | undefined {
  switch (observation.kind) {
    case 'stream-opened': {
      const { vantage, method, peer, streamId, at } = observation;
      if (vantage !== 'tap' || peer === undefined || !method.endsWith('AggregatedResources')) return streams;
      return [...(streams ?? []), { streamId, peer, openedAt: at, sentAt: at }].slice(-maxStreams);
    }
    case 'request-sent':
    case 'ack-sent':
    case 'nack-sent': {
      // The order of messages matters only if there are several streams.
      if (streams === undefined || streams.length < 2) return streams;
      const { streamId, at } = observation;
      return streams.map((each) => (each.streamId === streamId ? { ...each, sentAt: at } : each));
    }
    case 'stream-closed': {
      const left = streams?.filter(({ streamId }) => streamId !== observation.streamId);
      return left?.length === streams?.length ? streams : left;
    }
    default:
      return streams;
  }
}

/**
 * The addresses of processes that use one node id and target: a client has sent a message on a stream after another one was
 * opened. A client that connects again sends nothing more on its earlier stream. Empty: there is one process.
 */
export function findProcesses(streams: readonly OpenAdsStream[] = []): readonly string[] {
  const newest = streams.at(-1);
  if (newest === undefined) return [];
  const active = streams.filter((each) => each === newest || each.sentAt > newest.openedAt);
  return active.length < 2 ? [] : active.map(({ peer }) => peer);
}
