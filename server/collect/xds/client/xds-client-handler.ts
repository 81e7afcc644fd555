import type { ResourceChanges } from '@/lib/observation/resource-state';
import type { ReadResponse } from '../response/read-resources';
import type { ResponseEnvelope } from '../response/response-envelope';
import type { ServerLink } from '../stream/server-link';
import type { ChannelStreamEnd, OpenedStream, SentRequest, ValidatedResponse } from '../stream/xds-channel';
import type { ServerSwitch } from './authority';

/** The events of an XdsClient. Each change is reported once, in the order of the changes. */
export interface XdsClientHandler {
  onConnecting(link: ServerLink): void;
  onStreamOpened(link: ServerLink, stream: OpenedStream): void;
  onSubscriptionSent(streamId: string, request: SentRequest, changes: ResourceChanges): void;
  /** `repeats` is the number of consecutive responses, all without a change, that this one stands for. */
  onResponse(link: ServerLink, response: ReportedResponse, repeats: number): void;
  /** `request` is the ACK or NACK to `response`. */
  onAnswered(
    streamId: string,
    request: SentRequest,
    response: ValidatedResponse,
    changes: ResourceChanges,
  ): void;
  onTimerExpired(streamId: string, timer: 'resource' | 'ttl', changes: ResourceChanges): void;
  onServerSwitched(change: ServerSwitch): void;
  onCacheChanged(reason: string, changes: ResourceChanges): void;
  onStreamClosed(link: ServerLink, streamId: string, end: ChannelStreamEnd): void;
}

export interface ReportedResponse {
  readonly streamId: string;
  readonly response: ResponseEnvelope;
  readonly read: ReadResponse;
}
