import type { Metadata, MethodDefinition, ServerOptions } from '@grpc/grpc-js';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { type DiscoveryMethod, discoveryMethods } from '@/lib/xds/discovery-methods';
import type { Clock } from '../../observe';
import { AdsStream, type ByteStream } from './ads-stream';
import { addClientStatusService } from './client-status-service';
import { DeltaStream } from './delta-stream';
import type { NodeMessage, Rejection } from './discovery-messages';
import { isDebugPage } from './istio-debug';
import { RestFront, type RestFrontOptions } from './rest-front';
import type { Resource, ServedError, StoredResource } from './snapshot-store';
import { everyNode, SnapshotStore } from './snapshot-store';
import { SotwStream } from './sotw-stream';
import type { RequestEvent, ServerBehavior, StreamContext, StreamLogic } from './stream-logic';
import type { TypeDeliveries } from './type-deliveries';

export interface VerdictEvent {
  readonly nodeId: string;
  readonly typeUrl: string;
  readonly responseNonce: string;
  readonly accepted: boolean;
  /** The version in the request: after a NACK some clients send the last accepted one, some the new one. */
  readonly versionInfo: string;
  readonly errorDetail: string;
}

export interface ManagementServerOptions {
  readonly clock: Clock;
  readonly addServices?: (server: Server) => void;
  /** By default every method of xDS is served. Other methods are UNIMPLEMENTED. */
  readonly serves?: (method: DiscoveryMethod) => boolean;
  /** Prefix of the counter. A restarted server uses another one, so that its nonces differ. */
  readonly noncePrefix?: string;
  /** Identifier of the control plane, by default "xdscope-lab". */
  readonly identifier?: string;
  /**
   * Token that requests for istiod's debug types must carry, because istiod (with ENABLE_DEBUG_ENDPOINT_AUTH) answers
   * only identities of its own namespace. If absent, every request is answered.
   */
  readonly debugToken?: string;
  /** True if debug pages (`istio.io/debug`) need an identity that no client has, as without TLS. Absent: they do not. */
  readonly deniesDebugPages?: boolean;
  /** States types for which nothing is sent, not even removals. Changes are sent when the type is no longer held. */
  readonly isHeld?: (typeUrl: string) => boolean;
  /**
   * Sends the endpoints of a changed cluster again when they are requested again, as a warming Envoy does. By default a client has
   * what it accepted, so that a story can let a cluster warm without end.
   */
  readonly repeatsEndpoints?: boolean;
  /** States for which node and type the resources of every node are not served, because it has its own. */
  readonly isSeparate?: (nodeId: string, typeUrl: string) => boolean;
  /** Options of grpc-js that override or extend the defaults, such as keepalive. */
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
 * Tests and the lab script it as follows:
 * - the bytes of a resource are sent unchanged, valid or not; the name is used only to match subscriptions;
 * - versions are a counter; every setter accepts a version ("v7") as its last argument, and then sends even unchanged
 *   bytes again;
 * - `setResources('*', [])` empties LDS and CDS on the wire (an empty response), and removes everything in delta;
 * - a resource can have `aliases` (delta) and a `ttlMs`, which `sendHeartbeats` renews; `setError` sends an error in
 *   place of a resource; `setBehavior` wraps resources in state of the world, and omits type URLs where that is legal;
 * - `setSilent(true)` keeps streams open without sending, until `setSilent(false)` sends what is due;
 * - `pushRaw` writes any bytes as a response without updating the state: answers with its nonce are stale;
 * - `restFront` serves the same by REST-JSON polling on its own port, and can answer polls by a script;
 * - istiod's debug types (`istio.io/debug/syncz` and others) are answered on ADS, see istio-debug.ts;
 * - `stopStreams` ends the streams as a rotated server does; clients open new ones.
 *
 * Malformed requests end their own stream with INVALID_ARGUMENT.
 */
export class ManagementServer {
  readonly #store: SnapshotStore;
  /** The number of the connection of each stream. */
  readonly #streams = new Map<AdsStream, number>();
  readonly #requestListeners = new Set<Listener<RequestEvent>>();
  readonly #verdictListeners = new Set<Listener<VerdictEvent>>();
  readonly #endListeners = new Set<() => void>();
  /** Listeners of REST fronts, which are called when the snapshots may have changed. */
  readonly #changeListeners = new Set<() => void>();
  readonly #context: StreamContext;
  readonly #options: ManagementServerOptions;
  /** Absent: it does not listen. */
  #server: Server | undefined;
  readonly #clock: Clock;
  #nonces = 0;
  #connections = 0;
  #behavior: ServerBehavior = { wrapsInSotw: false, omitsTypeUrl: false };
  #silent = false;

  constructor(options: ManagementServerOptions) {
    const { clock, noncePrefix = '' } = options;
    const { identifier = 'xdscope-lab', isHeld = () => false, repeatsEndpoints = false } = options;
    this.#options = options;
    this.#clock = clock;
    this.#store = new SnapshotStore(options.isSeparate);
    this.#context = {
      store: this.#store,
      now: () => clock.now(),
      nextNonce: () => {
        this.#nonces += 1;
        return `${noncePrefix}${this.#nonces}`;
      },
      behavior: () => this.#behavior,
      isHeld,
      repeatsEndpoints,
      identifier,
      proxies: () => this.#listSubscribed(),
    };
  }

  /** Resolves to the target, "127.0.0.1:PORT" unless another host is given. After close() it serves the same snapshots. */
  listen(port = 0, credentials = ServerCredentials.createInsecure(), host = '127.0.0.1'): Promise<string> {
    const shown = host.includes(':') ? `[${host}]` : host;
    this.#server ??= this.#createServer();
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.bindAsync(`${shown}:${port}`, credentials, (error, bound) => {
        if (error === null) resolve(`${shown}:${bound}`);
        else reject(error);
      });
    });
  }

  /** Replaces the whole snapshot of one node id, or with "*" the one that all nodes share, and sends what is due. */
  setResources(nodeId: string, resources: readonly Resource[], version?: string): void {
    this.#store.setAll(nodeId, resources, version);
    this.#pump();
  }

  setResource(nodeId: string, resource: Resource, version?: string): void {
    this.#store.set(nodeId, resource, version);
    this.#pump();
  }

  /** Returns false if there was no such resource. */
  removeResource(nodeId: string, typeUrl: string, name: string, version?: string): boolean {
    const removed = this.#store.remove(nodeId, typeUrl, name, version);
    this.#pump();
    return removed;
  }

  update(
    nodeId: string,
    typeUrl: string,
    change: { readonly set: readonly Resource[]; readonly removed: readonly string[] },
    version: string,
  ): void {
    this.#store.update(nodeId, typeUrl, change, version);
    this.#pump();
  }

  /** Sends all resources, or all of one type, again: the same bytes under a new version. */
  renew(nodeId: string, typeUrl?: string): void {
    this.#store.renew(nodeId, typeUrl);
    this.#pump();
  }

  /** Replaces the resource until the next one with its name is set (xDS proposal TP3). */
  setError(nodeId: string, typeUrl: string, error: ServedError, version?: string): void {
    this.#store.setError(nodeId, typeUrl, error, version);
    this.#pump();
  }

  /** Renews, on every stream, the resources that were sent with a time to live. */
  sendHeartbeats(typeUrl: string): void {
    for (const stream of this.#streams.keys()) {
      const heartbeats = stream.logic.takeHeartbeats(typeUrl);
      if (heartbeats !== undefined) stream.write(heartbeats);
    }
  }

  setBehavior(behavior: Partial<ServerBehavior>): void {
    this.#behavior = { ...this.#behavior, ...behavior };
  }

  listResources(): StoredResource[] {
    return this.#store.list(everyNode);
  }

  /** Returns REST-JSON polling of the same snapshots. The caller calls listen() and close(). */
  restFront(options: Omit<RestFrontOptions, 'clock'> = {}): RestFront {
    const source = {
      view: (nodeId: string, typeUrl: string) => this.#store.view(nodeId, typeUrl),
      nextNonce: this.#context.nextNonce,
      onChange: (listener: () => void) => {
        this.#changeListeners.add(listener);
        return () => void this.#changeListeners.delete(listener);
      },
    };
    return new RestFront(source, { ...options, clock: this.#clock });
  }

  /** Called with every request, including ACKs and NACKs. Returns a function that removes the listener. */
  onRequest(listener: Listener<RequestEvent>): () => void {
    this.#requestListeners.add(listener);
    return () => this.#requestListeners.delete(listener);
  }

  /** Called with the first ACK or NACK of each response. Returns a function that removes the listener. */
  onVerdict(listener: Listener<VerdictEvent>): () => void {
    this.#verdictListeners.add(listener);
    return () => this.#verdictListeners.delete(listener);
  }

  /** Called when a stream ends, whichever side ended it. Returns a function that removes the listener. */
  onStreamEnd(listener: () => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Returns the node ids of the open streams, one entry for each stream. */
  connectedNodes(): string[] {
    return [...this.#streams.keys()].flatMap(({ logic }) =>
      logic.node === null ? [] : [logic.node.id ?? ''],
    );
  }

  /** Number of nonces so far. Each is the prefix and a number, from 1 on. */
  get nonceCount(): number {
    return this.#nonces;
  }

  /** Returns the names of resources whose current version was sent to and answered by at least one client. */
  listAnswered(typeUrl: string): Set<string> {
    const served = this.#store.view(everyNode, typeUrl).resources;
    const answered = new Set<string>();
    for (const { logic } of this.#streams.keys()) {
      for (const [name, { resource, verdict }] of logic.deliveriesOf(typeUrl)) {
        if (verdict.kind !== 'awaited' && served.get(name) === resource) answered.add(name);
      }
    }
    return answered;
  }

  /** Returns whether every client has answered every response. Responses of `pushRaw` do not count. */
  isAnswered(): boolean {
    return [...this.#streams.keys()].every(({ logic }) => logic.isAnswered());
  }

  setSilent(silent: boolean): void {
    this.#silent = silent;
    this.#pump();
  }

  /** Sends a DiscoveryResponse or DeltaDiscoveryResponse on every open stream of the node ("*": of all nodes). */
  pushRaw(nodeId: string, bytes: Buffer): void {
    for (const stream of this.#streams.keys()) {
      if (nodeId === everyNode || (stream.logic.node?.id ?? '') === nodeId) stream.write(bytes);
    }
  }

  /** Ends all streams, or those of some methods. */
  stopStreams(
    code: status = status.UNAVAILABLE,
    details = 'the management server is restarting',
    which: (method: DiscoveryMethod) => boolean = () => true,
  ): void {
    for (const stream of [...this.#streams.keys()])
      if (which(stream.logic.method)) stream.stop(code, details);
  }

  /** Ends streams and connections immediately. */
  async close(): Promise<void> {
    this.stopStreams();
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  #createServer(): Server {
    const { addServices, serves = () => true, channelOptions } = this.#options;
    const server = new Server({
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc-node.max_session_memory': 256,
      'grpc.keepalive_permit_without_calls': 1,
      ...channelOptions,
    });
    addDiscoveryServices(server, serves, (call, method) => {
      const context = this.#context;
      const rejects = (typeUrl: string) => rejectDebug(typeUrl, call.metadata, this.#options);
      this.#open(
        call,
        method.isDelta ? new DeltaStream(context, method) : new SotwStream(context, method, rejects),
      );
    });
    addClientStatusService(server, {
      streams: () => this.#listSubscribed(),
      view: (nodeId, typeUrl) => this.#store.view(nodeId, typeUrl),
    });
    addServices?.(server);
    return server;
  }

  /** Streams that request only debug types (see istio-debug.ts) are not clients. */
  #listSubscribed(): { node: NodeMessage; number: number; types: TypeDeliveries[] }[] {
    return [...this.#streams].flatMap(([{ logic }, number]) => {
      const types = logic.types();
      return logic.node === null || types.length === 0 ? [] : [{ node: logic.node, number, types }];
    });
  }

  #open(call: ByteStream, logic: StreamLogic): void {
    const stream = new AdsStream(call, logic, {
      onRequest: (event) => this.#notify(event),
      isSilent: () => this.#silent,
      onEnd: () => {
        this.#streams.delete(stream);
        for (const listener of this.#endListeners) listener();
      },
    });
    this.#connections += 1;
    this.#streams.set(stream, this.#connections);
  }

  #pump(): void {
    for (const stream of [...this.#streams.keys()]) stream.pump();
    for (const listener of [...this.#changeListeners]) listener();
  }

  #notify(event: RequestEvent): void {
    for (const listener of this.#requestListeners) listener(event);
    const { nodeId, typeUrl, responseNonce, versionInfo, reading } = event;
    if (reading !== 'ack' && reading !== 'nack') return;
    const accepted = reading === 'ack';
    const errorDetail = event.errorDetail ?? '';
    for (const listener of this.#verdictListeners) {
      listener({ nodeId, typeUrl, responseNonce, accepted, versionInfo, errorDetail });
    }
  }
}

/** Like istiod, rejects a call without a token as UNAUTHENTICATED, and one with a wrong token as a plain error. */
function rejectDebug(
  typeUrl: string,
  metadata: Metadata,
  { debugToken: token, deniesDebugPages = false }: ManagementServerOptions,
): Rejection | undefined {
  if (deniesDebugPages && isDebugPage(typeUrl))
    return { code: status.UNAUTHENTICATED, details: 'authentication required' };
  if (token === undefined) return undefined;
  const [reported] = metadata.get('authorization').map(String);
  if (reported === `Bearer ${token}`) return undefined;
  return reported === undefined
    ? { code: status.UNAUTHENTICATED, details: 'authentication failure' }
    : { code: status.UNKNOWN, details: 'the debug info is not available for current identity: "another"' };
}

/** Registers every streaming method of xDS for which `serves` returns true; others are UNIMPLEMENTED. */
function addDiscoveryServices(
  server: Server,
  serves: (method: DiscoveryMethod) => boolean,
  onCall: (call: ByteStream, method: DiscoveryMethod) => void,
): void {
  const served = discoveryMethods.filter(serves);
  server.addService(
    Object.fromEntries(served.map((method) => [method.path, definitionOf(method)])),
    Object.fromEntries(served.map((method) => [method.path, (call: ByteStream) => onCall(call, method)])),
  );
}

/** Messages are passed as bytes and methods are matched by path, because the protos do not contain the v2 services. */
function definitionOf({ path }: DiscoveryMethod): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/${path}`,
    requestStream: true,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
