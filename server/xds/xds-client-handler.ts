import type { ResourceChanges } from '@/lib/observation/observation';
import type { ServerSwitch } from './authority';
import type { ReadResponse } from './read-resources';
import type { ResponseEnvelope } from './response-envelope';
import type { ServerLink } from './server-link';
import type { ChannelStreamEnd, JudgedResponse, OpenedStream, SentRequest } from './xds-channel';

/** Upward: what the client tells whoever runs it. Changes are told once, in the order in which they came about. */
export interface XdsClientHandler {
  onConnecting(link: ServerLink): void;
  onStreamOpened(link: ServerLink, stream: OpenedStream): void;
  onSubscriptionSent(streamId: string, request: SentRequest, changes: ResourceChanges): void;
  /** `repeats`: it stands for so many responses, which all changed nothing. */
  onResponse(link: ServerLink, response: ToldResponse, repeats: number): void;
  /** `request` is the ACK or NACK to `response`. */
  onAnswered(
    streamId: string,
    request: SentRequest,
    response: JudgedResponse,
    changes: ResourceChanges,
  ): void;
  onTimerExpired(streamId: string, timer: 'resource' | 'ttl', changes: ResourceChanges): void;
  onServerSwitched(change: ServerSwitch): void;
  /** With nothing on the wire that says so. */
  onCacheChanged(reason: string, changes: ResourceChanges): void;
  onStreamClosed(link: ServerLink, streamId: string, end: ChannelStreamEnd): void;
}

export interface ToldResponse {
  readonly streamId: string;
  readonly response: ResponseEnvelope;
  readonly read: ReadResponse;
}
