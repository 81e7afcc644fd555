import { messageOf } from '@/lib/format/message-of';
import type { EpochMs } from '@/lib/xds/units';
import { CodecError } from '../../codec/codec-error';
import { messageType } from '../../codec/root';

/** An int64 as protobufjs decodes it, with a Long if that library is installed. */
type Int64 = number | { toNumber(): number };

interface TimestampMessage {
  readonly seconds?: Int64;
  readonly nanos?: number;
}

export interface TraceMessage {
  readonly numEventsLogged?: Int64;
  readonly creationTimestamp?: TimestampMessage | null;
  readonly events?: readonly {
    readonly description?: string;
    readonly timestamp?: TimestampMessage | null;
  }[];
}

export interface SocketRefMessage {
  readonly socketId?: Int64;
  readonly name?: string;
}

interface SubchannelRefMessage {
  readonly subchannelId?: Int64;
}

interface ChannelRefMessage {
  readonly channelId?: Int64;
}

export interface CountsMessage {
  readonly callsStarted?: Int64;
  readonly callsSucceeded?: Int64;
  readonly callsFailed?: Int64;
  readonly lastCallStartedTimestamp?: TimestampMessage | null;
}

/** grpc.channelz.v1.Channel, and Subchannel, which has the same fields. */
export interface ChannelMessage {
  readonly ref?: ChannelRefMessage & SubchannelRefMessage;
  readonly data?:
    | (CountsMessage & {
        readonly state?: { readonly state?: number } | null;
        readonly target?: string;
        readonly trace?: TraceMessage | null;
      })
    | null;
  readonly channelRef?: readonly ChannelRefMessage[];
  readonly subchannelRef?: readonly SubchannelRefMessage[];
  readonly socketRef?: readonly SocketRefMessage[];
}

export interface ServerMessage {
  readonly ref?: { readonly serverId?: Int64 };
  readonly data?: (CountsMessage & { readonly trace?: TraceMessage | null }) | null;
  readonly listenSocket?: readonly SocketRefMessage[];
}

export interface AddressMessage {
  readonly tcpipAddress?: { readonly ipAddress?: Uint8Array; readonly port?: number } | null;
  readonly udsAddress?: { readonly filename?: string } | null;
  readonly otherAddress?: { readonly name?: string } | null;
}

export interface SocketMessage {
  readonly data?: {
    readonly streamsStarted?: Int64;
    readonly streamsSucceeded?: Int64;
    readonly streamsFailed?: Int64;
  } | null;
  readonly local?: AddressMessage | null;
  readonly remote?: AddressMessage | null;
}

interface Answers {
  GetTopChannels: { readonly channel?: readonly ChannelMessage[]; readonly end?: boolean };
  GetChannel: { readonly channel?: ChannelMessage | null };
  GetSubchannel: { readonly subchannel?: ChannelMessage | null };
  GetSocket: { readonly socket?: SocketMessage | null };
  GetServerSockets: { readonly socketRef?: readonly SocketRefMessage[]; readonly end?: boolean };
  GetServers: { readonly server?: readonly ServerMessage[]; readonly end?: boolean };
}
export type ChannelzMethod = keyof Answers;
export type AnswerOf<Method extends ChannelzMethod> = Answers[Method];

const service = 'grpc.channelz.v1';

export function pathOf(method: ChannelzMethod): string {
  return `/${service}.Channelz/${method}`;
}

export function encodeRequest(method: ChannelzMethod, request: object): Buffer {
  return Buffer.from(messageType(`${service}.${method}Request`).encode(request).finish());
}

/** Throws a CodecError. */
export function decodeAnswer<Method extends ChannelzMethod>(
  method: Method,
  bytes: Uint8Array,
): AnswerOf<Method> {
  const type = messageType(`${service}.${method}Response`);
  try {
    // The type of the message is that of its method.
    return type.decode(bytes) as unknown as AnswerOf<Method>;
  } catch (cause) {
    throw new CodecError(`expected a ${method}Response of channelz, got other bytes (${messageOf(cause)})`);
  }
}

export function readNumber(value: Int64 | undefined): number {
  return typeof value === 'object' ? value.toNumber() : (value ?? 0);
}

/** null if it is not set. gRPC-Go writes 1970 for "never", gRPC-Java an empty message. */
export function readTime(time: TimestampMessage | null | undefined): EpochMs | null {
  const seconds = readNumber(time?.seconds);
  return seconds <= 0 ? null : seconds * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
