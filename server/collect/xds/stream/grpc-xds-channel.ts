import type { Problem } from '@/lib/observation/observation';
import { findDiscoveryMethod, formatDiscoveryMethod } from '@/lib/xds/discovery-methods';
import { formatResourceType } from '@/lib/xds/resource-type';
import { StreamLane, type StreamLaneOptions } from './stream-lane';
import { deltaRules, sotwRules } from './stream-rules';
import type { Transport } from './transport';
import { UnservedTypes } from './unserved-types';
import type {
  SentRequest,
  Subscription,
  ValidatedResponse,
  XdsChannel,
  XdsChannelHandler,
} from './xds-channel';

/** `ads` and `delta-ads` have one stream for all types, `sotw` and `delta` one stream for each type on one connection. */
export const grpcTransports = ['ads', 'delta-ads', 'sotw', 'delta'] as const;
export type GrpcTransportKind = (typeof grpcTransports)[number];

export interface GrpcXdsChannelOptions extends StreamLaneOptions {
  readonly transport: GrpcTransportKind;
  readonly apiVersion: 'v3' | 'v2';
  /** Creates the transport at each start. stop() closes it. */
  readonly dial: () => Transport;
}

/** One management server over gRPC: a connection with one lane of streams, or one for each type. */
export class GrpcXdsChannel implements XdsChannel {
  readonly #options: GrpcXdsChannelOptions;
  readonly #handler: XdsChannelHandler;
  #transport: Transport | null = null;
  /** The lanes by type URL. The key of the lane for all types is null. */
  readonly #lanes = new Map<string | null, StreamLane>();
  readonly #unserved: UnservedTypes;

  constructor(options: GrpcXdsChannelOptions, handler: XdsChannelHandler) {
    this.#options = options;
    this.#handler = handler;
    this.#unserved = new UnservedTypes(
      (typeUrl) => this.#explainUnserved(typeUrl),
      options.nextStreamId,
      handler,
    );
    if (this.#isAggregated) this.#laneOf(null);
  }

  start(): void {
    if (this.#transport !== null) return;
    this.#transport = this.#options.dial();
    for (const lane of this.#lanes.values()) lane.start(this.#transport);
    this.#unserved.start();
  }

  async stop(): Promise<void> {
    const transport = this.#transport;
    this.#transport = null;
    this.#unserved.stop();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
    transport?.close();
  }

  subscribe(typeUrl: string, subscription: Subscription): void {
    const lane = this.#laneOf(this.#isAggregated ? null : typeUrl);
    (lane ?? this.#unserved).subscribe(typeUrl, subscription);
  }

  answer(response: ValidatedResponse): readonly SentRequest[] {
    return this.#lanes.get(this.#isAggregated ? null : response.typeUrl)?.answer(response) ?? [];
  }

  get #isAggregated(): boolean {
    return this.#options.transport === 'ads' || this.#options.transport === 'delta-ads';
  }

  get #isDelta(): boolean {
    return this.#options.transport === 'delta' || this.#options.transport === 'delta-ads';
  }

  /** Returns undefined if xDS has no method for the type. */
  #laneOf(typeUrl: string | null): StreamLane | undefined {
    const known = this.#lanes.get(typeUrl);
    if (known !== undefined) return known;
    const { apiVersion } = this.#options;
    const method = findDiscoveryMethod({ typeUrl, isDelta: this.#isDelta, apiVersion });
    if (method === undefined) return undefined;
    const handler = this.#handler;
    const rules = method.isDelta ? deltaRules((each) => handler.heldVersions(each)) : sotwRules();
    const lane = new StreamLane(method, rules, this.#options, handler);
    this.#lanes.set(typeUrl, lane);
    if (this.#transport !== null) lane.start(this.#transport);
    return lane;
  }

  #explainUnserved(typeUrl: string): Problem {
    const { apiVersion } = this.#options;
    const aggregated = formatDiscoveryMethod({ type: null, isDelta: this.#isDelta, apiVersion });
    const message = `xDS has no ${aggregated.replace('ADS', formatResourceType(typeUrl))} stream`;
    return { code: 'UNIMPLEMENTED', message, hint: 'An aggregated stream (ADS) carries every type.' };
  }
}
