import { type Metadata, Server, ServerCredentials, type ServerOptions, status } from '@grpc/grpc-js';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { Clock } from '../../observe';
import { AdsStream, type ByteStream } from './ads-stream';
import { addClientStatusService } from './client-status-service';
import { DeltaStream } from './delta-stream';
import type { NodeMessage, Rejection } from './discovery-messages';
import { addDiscoveryServices } from './discovery-services';
import { RestFront, type RestFrontOptions } from './rest-front';
import {
  everyNode,
  type Resource,
  type ServedError,
  SnapshotStore,
  type StoredResource,
} from './snapshot-store';
import { SotwStream } from './sotw-stream';
import type { RequestEvent, ServerBehavior, StreamContext, StreamLogic } from './stream-logic';
import type { TypeDeliveries } from './type-deliveries';

/** What a client answered to a response. */
export interface VerdictEvent {
  readonly nodeId: string;
  readonly typeUrl: string;
  readonly responseNonce: string;
  readonly accepted: boolean;
  /** As the client sent it: after a NACK some send the last accepted version, some the new one. Empty in delta. */
  readonly versionInfo: string;
  readonly errorDetail: string;
}

export interface ManagementServerOptions {
  readonly clock: Clock;
  readonly addServices?: (server: Server) => void;
  /** Every method of xDS unless configured otherwise; the rest is UNIMPLEMENTED. */
  readonly serves?: (method: DiscoveryMethod) => boolean;
  /** Before the counter, so that a server that is started anew has other nonces. */
  readonly noncePrefix?: string;
  /** What it calls itself: "xdscope-lab" unless configured otherwise. */
  readonly identifier?: string;
  /**
   * Who asks for istiod's debug types has to bring it, as istiod (with ENABLE_DEBUG_ENDPOINT_AUTH) answers only
   * identities of its own namespace; not there: everybody is answered.
   */
  readonly debugToken?: string;
  /** Types of which nothing is sent now, not even that there is nothing. What was held goes with the next change. */
  readonly isHeld?: (typeUrl: string) => boolean;
  /** Of gRPC, beside or in place of those that it has: keepalive, for one. */
  readonly channelOptions?: ServerOptions;
}

type Listener<T> = (event: T) => void;

/**
 * A management server on a real loopback socket: every stream of xDS (aggregated and of each type, state of the world
 * and delta, v3 and v2), and its own CSDS.
 *
 *     const server = new ManagementServer({ clock: systemClock });
 *     const target = await server.listen();               // "127.0.0.1:41234"
 *     server.setResources('*', [{ typeUrl, name, bytes }]); // the snapshot of every node
 *     server.setResource('node-a', { typeUrl, name, bytes }); // hides the common one from node-a
 *     server.onVerdict(({ accepted, errorDetail }) => ...);
 *     await server.close();
 *
 * It is a peer to play scripts on:
 * - the bytes of a resource are sent as they are, valid or not; the name is only what subscriptions are matched with;
 * - versions count up by themselves; every setter takes one of your own ("v7") as its last argument, and then sends
 *   even unchanged bytes again;
 * - `setResources('*', [])` empties LDS and CDS on the wire (an empty response), and removes everything in delta;
 * - a resource may have `aliases` (delta) and a `ttlMs`, which `sendHeartbeats` renews; `setError` says of a name why
 *   it is not served; `setBehavior` wraps resources in state of the world, and leaves type URLs out where that is legal;
 * - `setSilent(true)` keeps streams open and says nothing, until `setSilent(false)` sends what is due;
 * - `pushRaw` writes any bytes as a response. The bookkeeping knows nothing of it: answers with its nonce read as stale;
 * - `restFront` serves the same by REST-JSON polling, on a port of its own, and answers polls by a script if it has one;
 * - istiod's debug types (`istio.io/debug/syncz` and others) are answered on ADS, see istio-debug.ts;
 * - `stopStreams` ends the streams as a server that is rotated does; clients come back on new ones.
 *
 * Malformed requests end their own stream with INVALID_ARGUMENT.
 */
export class ManagementServer {
  private readonly store = new SnapshotStore();
  private readonly streams = new Set<AdsStream>();
  private readonly requestListeners = new Set<Listener<RequestEvent>>();
  private readonly verdictListeners = new Set<Listener<VerdictEvent>>();
  private readonly endListeners = new Set<() => void>();
  /** Of REST fronts: the snapshots may have changed. */
  private readonly changeListeners = new Set<() => void>();
  private readonly context: StreamContext;
  private readonly server: Server;
  private readonly clock: Clock;
  private nonces = 0;
  private behavior: ServerBehavior = { wrapsInSotw: false, omitsTypeUrl: false };
  private silent = false;

  constructor(options: ManagementServerOptions) {
    const { clock, addServices, serves = () => true, noncePrefix = '' } = options;
    const { identifier = 'xdscope-lab', isHeld = () => false } = options;
    this.clock = clock;
    this.context = {
      store: this.store,
      now: () => clock.now(),
      nextNonce: () => {
        this.nonces += 1;
        return `${noncePrefix}${this.nonces}`;
      },
      behavior: () => this.behavior,
      isHeld,
      identifier,
      proxies: () => this.listSubscribed(),
    };
    this.server = new Server({
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc-node.max_session_memory': 256,
      'grpc.keepalive_permit_without_calls': 1,
      ...options.channelOptions,
    });
    addDiscoveryServices(this.server, serves, (call, method) => {
      const { context } = this;
      const rejection = rejectDebug(call.metadata, options.debugToken);
      this.open(
        call,
        method.isDelta ? new DeltaStream(context, method) : new SotwStream(context, method, rejection),
      );
    });
    addClientStatusService(this.server, {
      streams: () => this.listSubscribed(),
      view: (nodeId, typeUrl) => this.store.view(nodeId, typeUrl),
    });
    addServices?.(this.server);
  }

  /** Resolves to the target, "127.0.0.1:PORT" unless another host is named. */
  listen(port = 0, credentials = ServerCredentials.createInsecure(), host = '127.0.0.1'): Promise<string> {
    const shown = host.includes(':') ? `[${host}]` : host;
    return new Promise((resolve, reject) => {
      this.server.bindAsync(`${shown}:${port}`, credentials, (error, bound) => {
        if (error === null) resolve(`${shown}:${bound}`);
        else reject(error);
      });
    });
  }

  /** Replaces the whole snapshot of one node id, or with "*" the one that all nodes share, and sends what is due. */
  setResources(nodeId: string, resources: readonly Resource[], version?: string): void {
    this.store.setAll(nodeId, resources, version);
    this.pump();
  }

  setResource(nodeId: string, resource: Resource, version?: string): void {
    this.store.set(nodeId, resource, version);
    this.pump();
  }

  /** False when there was none. */
  removeResource(nodeId: string, typeUrl: string, name: string, version?: string): boolean {
    const removed = this.store.remove(nodeId, typeUrl, name, version);
    this.pump();
    return removed;
  }

  /** See SnapshotStore.update. */
  update(
    nodeId: string,
    typeUrl: string,
    change: { readonly set: readonly Resource[]; readonly removed: readonly string[] },
    version: string,
  ): void {
    this.store.update(nodeId, typeUrl, change, version);
    this.pump();
  }

  /** Sends everything again, or all of one type: the same bytes under a new version. */
  renew(nodeId: string, typeUrl?: string): void {
    this.store.renew(nodeId, typeUrl);
    this.pump();
  }

  /** In place of the resource, until the next one of its name is set (xDS proposal TP3). */
  setError(nodeId: string, typeUrl: string, error: ServedError, version?: string): void {
    this.store.setError(nodeId, typeUrl, error, version);
    this.pump();
  }

  /** Renews, on every stream, what was sent on it with a time to live. */
  sendHeartbeats(typeUrl: string): void {
    for (const stream of this.streams) {
      const heartbeats = stream.logic.takeHeartbeats(typeUrl);
      if (heartbeats !== undefined) stream.write(heartbeats);
    }
  }

  setBehavior(behavior: Partial<ServerBehavior>): void {
    this.behavior = { ...this.behavior, ...behavior };
  }

  listResources(nodeId: string = everyNode): StoredResource[] {
    return this.store.list(nodeId);
  }

  /** REST-JSON polling of the same snapshots. Whoever asks for it listens, and closes it. */
  restFront(options: Omit<RestFrontOptions, 'clock'> = {}): RestFront {
    const source = {
      view: (nodeId: string, typeUrl: string) => this.store.view(nodeId, typeUrl),
      nextNonce: this.context.nextNonce,
      onChange: (listener: () => void) => {
        this.changeListeners.add(listener);
        return () => void this.changeListeners.delete(listener);
      },
    };
    return new RestFront(source, { ...options, clock: this.clock });
  }

  /** Every request, verdicts included. Returns how to stop listening. */
  onRequest(listener: Listener<RequestEvent>): () => void {
    this.requestListeners.add(listener);
    return () => this.requestListeners.delete(listener);
  }

  /** The first ACK or NACK of each response. Returns how to stop listening. */
  onVerdict(listener: Listener<VerdictEvent>): () => void {
    this.verdictListeners.add(listener);
    return () => this.verdictListeners.delete(listener);
  }

  /** A stream is open no more, whoever ended it. Returns how to stop listening. */
  onStreamEnd(listener: () => void): () => void {
    this.endListeners.add(listener);
    return () => this.endListeners.delete(listener);
  }

  /** Node ids of the open streams, one entry a stream. */
  connectedNodes(): string[] {
    return [...this.streams].flatMap(({ logic }) => (logic.node === null ? [] : [logic.node.id ?? '']));
  }

  /** How many nonces were given out: each one is its prefix and a number, from 1 on. */
  get nonceCount(): number {
    return this.nonces;
  }

  /** Names of which somebody was sent what is served now, and has answered it. */
  listAnswered(typeUrl: string): Set<string> {
    const served = this.store.view(everyNode, typeUrl).resources;
    const answered = new Set<string>();
    for (const { logic } of this.streams) {
      for (const [name, { resource, verdict }] of logic.deliveriesOf(typeUrl)) {
        if (verdict.kind !== 'awaited' && served.get(name) === resource) answered.add(name);
      }
    }
    return answered;
  }

  /** Has every client answered everything that was sent to it? What `pushRaw` wrote does not count. */
  isAnswered(): boolean {
    return [...this.streams].every(({ logic }) => logic.isAnswered());
  }

  setSilent(silent: boolean): void {
    this.silent = silent;
    this.pump();
  }

  /** `bytes` of a DiscoveryResponse or DeltaDiscoveryResponse, to every open stream of the node ("*": of all). */
  pushRaw(nodeId: string, bytes: Buffer): void {
    for (const stream of this.streams) {
      if (nodeId === everyNode || (stream.logic.node?.id ?? '') === nodeId) stream.write(bytes);
    }
  }

  /** All of them, or those of some methods. */
  stopStreams(
    code: status = status.UNAVAILABLE,
    details = 'the management server is restarting',
    which: (method: DiscoveryMethod) => boolean = () => true,
  ): void {
    for (const stream of [...this.streams]) if (which(stream.logic.method)) stream.stop(code, details);
  }

  /** Ends streams and connections at once; `listen` cannot follow. */
  async close(): Promise<void> {
    this.stopStreams();
    this.server.forceShutdown();
  }

  /** Whoever only asks for debug types (see istio-debug.ts) is no client. */
  private listSubscribed(): { node: NodeMessage; types: TypeDeliveries[] }[] {
    return [...this.streams].flatMap(({ logic }) => {
      const types = logic.types();
      return logic.node === null || types.length === 0 ? [] : [{ node: logic.node, types }];
    });
  }

  private open(call: ByteStream, logic: StreamLogic): void {
    const stream = new AdsStream(call, logic, {
      onRequest: (event) => this.notify(event),
      isSilent: () => this.silent,
      onEnd: () => {
        this.streams.delete(stream);
        for (const listener of this.endListeners) listener();
      },
    });
    this.streams.add(stream);
  }

  private pump(): void {
    for (const stream of [...this.streams]) stream.pump();
    for (const listener of [...this.changeListeners]) listener();
  }

  private notify(event: RequestEvent): void {
    for (const listener of this.requestListeners) listener(event);
    const { nodeId, typeUrl, responseNonce, versionInfo, reading } = event;
    if (reading !== 'ack' && reading !== 'nack') return;
    const accepted = reading === 'ack';
    const errorDetail = event.errorDetail ?? '';
    for (const listener of this.verdictListeners) {
      listener({ nodeId, typeUrl, responseNonce, accepted, versionInfo, errorDetail });
    }
  }
}

/** As istiod does: a call without a token is UNAUTHENTICATED, and one with another token fails with a plain error. */
function rejectDebug(metadata: Metadata, token: string | undefined): Rejection | undefined {
  if (token === undefined) return undefined;
  const [reported] = metadata.get('authorization').map(String);
  if (reported === `Bearer ${token}`) return undefined;
  return reported === undefined
    ? { code: status.UNAUTHENTICATED, details: 'authentication failure' }
    : { code: status.UNKNOWN, details: 'the debug info is not available for current identity: "another"' };
}
