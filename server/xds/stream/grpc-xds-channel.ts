import {
  type DiscoveryMethod,
  findDiscoveryMethod,
  formatDiscoveryMethod,
} from '@/lib/xds/discovery-methods';
import { formatResourceType } from '@/lib/xds/resource-type';
import { StreamLane, type StreamLaneOptions } from './stream-lane';
import { deltaRules, sotwRules } from './stream-rules';
import type { Transport } from './transport';
import {
  isWanted,
  type SentRequest,
  type Subscription,
  type ValidatedResponse,
  type XdsChannel,
  type XdsChannelHandler,
} from './xds-channel';

/** `ads`, `delta-ads`: one stream of all types. `sotw`, `delta`: one stream for each type, on one connection. */
export const grpcTransports = ['ads', 'delta-ads', 'sotw', 'delta'] as const;
export type GrpcTransportKind = (typeof grpcTransports)[number];

export interface GrpcXdsChannelOptions extends StreamLaneOptions {
  readonly transport: GrpcTransportKind;
  readonly apiVersion: 'v3' | 'v2';
  /** Makes the transport of one start; closed by stop(). */
  readonly dial: () => Transport;
}

/** One management server over gRPC: its connection, and the lanes of streams on it. */
export class GrpcXdsChannel implements XdsChannel {
  #transport: Transport | null = null;
  /** By type URL; the one of all types under null. */
  readonly #lanes = new Map<string | null, StreamLane>();
  /** Wanted, though xDS has no method to ask for them. Reported once a start. */
  readonly #unserved = new Set<string>();

  constructor(
    private readonly options: GrpcXdsChannelOptions,
    private readonly handler: XdsChannelHandler,
  ) {
    if (this.#isAggregated) this.#laneOf(null);
  }

  start(): void {
    if (this.#transport !== null) return;
    this.#transport = this.options.dial();
    for (const lane of this.#lanes.values()) lane.start(this.#transport);
    for (const typeUrl of this.#unserved) this.#emitUnserved(typeUrl);
  }

  async stop(): Promise<void> {
    const transport = this.#transport;
    this.#transport = null;
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
    transport?.close();
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    const lane = this.#laneOf(this.#isAggregated ? null : typeUrl);
    if (lane !== undefined) lane.subscribe(typeUrl, subscription);
    else if (!isWanted(subscription)) this.#unserved.delete(typeUrl);
    else if (!this.#unserved.has(typeUrl)) {
      this.#unserved.add(typeUrl);
      if (this.#transport !== null) this.#emitUnserved(typeUrl);
    }
  }

  answer(response: ValidatedResponse): readonly SentRequest[] {
    return this.#lanes.get(this.#isAggregated ? null : response.typeUrl)?.answer(response) ?? [];
  }

  get #isAggregated(): boolean {
    return this.options.transport === 'ads' || this.options.transport === 'delta-ads';
  }

  get #isDelta(): boolean {
    return this.options.transport === 'delta' || this.options.transport === 'delta-ads';
  }

  /** undefined where xDS has no method for the type. */
  #laneOf(typeUrl: string | null): StreamLane | undefined {
    const known = this.#lanes.get(typeUrl);
    if (known !== undefined) return known;
    const { apiVersion } = this.options;
    const method = findDiscoveryMethod({ typeUrl, isDelta: this.#isDelta, apiVersion });
    if (method === undefined) return undefined;
    const lane = this.#createLane(method);
    this.#lanes.set(typeUrl, lane);
    if (this.#transport !== null) lane.start(this.#transport);
    return lane;
  }

  #createLane(method: DiscoveryMethod): StreamLane {
    const { handler } = this;
    const rules = method.isDelta ? deltaRules((typeUrl) => handler.heldVersions(typeUrl)) : sotwRules();
    return new StreamLane(method, rules, this.options, handler);
  }

  /** As the end of a stream that never was, and that will not be tried again. */
  #emitUnserved(typeUrl: string): void {
    const { apiVersion, nextStreamId } = this.options;
    const asked = formatDiscoveryMethod({ type: null, isDelta: this.#isDelta, apiVersion });
    const details = `xDS has no ${asked.replace('ADS', formatResourceType(typeUrl))} stream`;
    const hint = 'An aggregated stream (ADS) carries every type.';
    const streamId = nextStreamId();
    queueMicrotask(() => {
      if (this.#transport === null || !this.#unserved.has(typeUrl)) return;
      this.handler.onStreamClosed(streamId, {
        typeUrl,
        code: 'UNIMPLEMENTED',
        details,
        wasOpened: false,
        hadResponse: false,
        isFailure: true,
        retryInMs: null,
        explain: async () => ({ code: 'UNIMPLEMENTED', message: details, hint }),
      });
    });
  }
}
