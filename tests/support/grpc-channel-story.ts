import { findResourceType } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import type {
  Heartbeat,
  NamedResource,
  ResponseEnvelope,
} from '@/server/collect/xds/response/response-envelope';
import { grpcTransport } from '@/server/collect/xds/stream/grpc-transport';
import { GrpcXdsChannel, type GrpcXdsChannelOptions } from '@/server/collect/xds/stream/grpc-xds-channel';
import type {
  ChannelStreamEnd,
  OpenedStream,
  SentRequest,
  Subscription,
  XdsChannelHandler,
} from '@/server/collect/xds/stream/xds-channel';
import type { Clock } from '@/server/observe';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { targetOf } from './xds-probe-story';

export interface HeldResource {
  readonly bytes: Buffer;
  readonly version: string;
  readonly ttlMs: number | null;
  readonly aliases: readonly string[];
}

export interface GrpcChannelStoryOptions
  extends Partial<Omit<GrpcXdsChannelOptions, 'clock' | 'transport' | 'dial'>> {
  readonly target: string;
  readonly clock: Clock;
  readonly transport: GrpcXdsChannelOptions['transport'];
  readonly maxMessageBytes?: number;
}

export const channelNode = {
  id: 'channel-story',
  cluster: '',
  locality: null,
  metadata: {},
  userAgentName: 'xdscope',
  userAgentVersion: '1.2.3',
};

/** A channel, everything that it reports, and a minimal client that stores the received resources. */
export class GrpcChannelStory implements XdsChannelHandler {
  readonly channel: GrpcXdsChannel;
  readonly opened: OpenedStream[] = [];
  readonly closed: (ChannelStreamEnd & { readonly streamId: string })[] = [];
  readonly sent: SentRequest[] = [];
  readonly responses: ResponseEnvelope[] = [];
  readonly heartbeats: Heartbeat[] = [];
  readonly problems: string[] = [];
  /** Called between a response and its answer. */
  meanwhile: (response: ResponseEnvelope) => void = () => undefined;
  /** The names of resources that are rejected. */
  readonly rejected = new Set<string>();
  readonly #held = new Map<string, Map<string, HeldResource>>();
  readonly #wanted = new Map<string, Subscription>();
  #streams = 0;
  readonly #codec = createCodec({ redactionKey: new Uint8Array(32) });

  constructor({ target, maxMessageBytes, ...options }: GrpcChannelStoryOptions) {
    const connectTimeoutMs = 10_000;
    const dial = () =>
      grpcTransport({
        server: plainServer(targetOf(target)),
        clock: options.clock,
        maxMessageBytes,
        connectTimeoutMs,
      });
    const nextStreamId = (): string => {
      this.#streams += 1;
      return `stream-${this.#streams}`;
    };
    this.channel = new GrpcXdsChannel(
      {
        apiVersion: 'v3',
        node: channelNode,
        codec: this.#codec,
        random: () => 0.5,
        connectTimeoutMs,
        ...options,
        dial,
        nextStreamId,
      },
      this,
    );
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    this.#wanted.set(typeUrl, subscription);
    const held = this.#heldOf(typeUrl);
    for (const name of held.keys()) {
      if (!subscription.wildcard && !subscription.names.has(name)) held.delete(name);
    }
    this.channel.subscribe(typeUrl, subscription);
  }

  /** The versions of the held resources of a type by name. In state of the world it is the version of the response. */
  held(typeUrl: string): Record<string, string> {
    return Object.fromEntries(
      [...this.#heldOf(typeUrl)].map(([name, { version }]) => [name, version]).sort(),
    );
  }

  find(typeUrl: string, name: string): HeldResource | undefined {
    return this.#heldOf(typeUrl).get(name);
  }

  heldVersions(typeUrl: string): ReadonlyMap<string, string> {
    return new Map(Object.entries(this.held(typeUrl)));
  }

  onConnecting(): void {}

  onStreamOpened(stream: OpenedStream): void {
    this.opened.push(stream);
  }

  onSubscriptionSent(_streamId: string, request: SentRequest): void {
    this.sent.push(request);
  }

  async onResponse(_streamId: string, response: ResponseEnvelope): Promise<void> {
    this.responses.push(response);
    const { typeUrl, versionInfo, nonce, isDelta } = response;
    const problems: string[] = [];
    const present = new Set<string>();
    for (const entry of readEntries(response, this.#codec.nameOf)) {
      if (entry.kind === 'problem') problems.push(entry.reason);
      else if (entry.kind === 'heartbeat') {
        this.heartbeats.push(entry);
        present.add(entry.name);
      } else if (this.rejected.has(entry.name)) problems.push(`"${entry.name}": rejected by the story`);
      else {
        present.add(entry.name);
        this.#hold(typeUrl, entry, entry.version === '' ? versionInfo : entry.version);
      }
    }
    const absenceDeletes = !isDelta && findResourceType(typeUrl)?.absenceDeletes === true;
    for (const name of this.#heldOf(typeUrl).keys()) {
      const isGone = isDelta
        ? response.removedResources.includes(name)
        : absenceDeletes && !present.has(name);
      if (isGone && problems.length === 0) this.#heldOf(typeUrl).delete(name);
    }
    this.problems.push(...problems);
    this.meanwhile(response);
    const requests = this.channel.answer({
      isAwaited: (name) => !this.#heldOf(typeUrl).has(name),
      typeUrl,
      versionInfo,
      nonce,
      verdict:
        problems.length === 0 ? { kind: 'accepted' } : { kind: 'rejected', errorDetail: problems.join('\n') },
    });
    this.sent.push(...requests);
  }

  onStreamClosed(streamId: string, end: ChannelStreamEnd): void {
    this.closed.push({ ...end, streamId });
  }

  #hold(typeUrl: string, { name, bytes, ttlMs, aliases }: NamedResource, version: string): void {
    const wanted = this.#wanted.get(typeUrl);
    if (wanted === undefined) return;
    if (!wanted.wildcard && ![name, ...aliases].some((each) => wanted.names.has(each))) return;
    this.#heldOf(typeUrl).set(name, { bytes: Buffer.from(bytes), version, ttlMs, aliases });
  }

  #heldOf(typeUrl: string): Map<string, HeldResource> {
    const held = this.#held.get(typeUrl) ?? new Map<string, HeldResource>();
    this.#held.set(typeUrl, held);
    return held;
  }
}
