import type { Account } from './account';
import type { ControlPlane } from './control-plane';
import type { Servers } from './xdscope';

/** The commands that a peer needs to be prepared and to run, as found on the PATH. */
export type Tool = 'python3' | 'go' | 'java' | 'javac' | 'mvn';

/** A program that is installed or built from its package registry, in one of its pinned versions. */
export interface Peer {
  readonly name: string;
  /** Newest first. */
  readonly versions: readonly string[];
  readonly tools: readonly Tool[];
  /** Files whose contents decide what prepare() makes, relative to the root of xdscope. */
  readonly inputs: readonly string[];
  /** Writes everything that start() needs into the empty folder `dir`. */
  prepare(dir: string, version: string): Promise<void>;
}

export interface Prepared {
  readonly version: string;
  readonly dir: string;
}

/** The kind of target of a resource: an Envoy binds sockets, a gRPC client has API listeners. */
export type Flavor = 'envoy' | 'grpc';

/** The variant of xDS between client and control plane. */
export type Protocol = 'sotw' | 'delta';

export interface ClientOptions {
  readonly nodeId: string;
  /** host:port of each management server, or of a tap before it, the most preferred first. Envoy uses the first. */
  readonly servers: Servers;
  /** gRPC: server_features of the bootstrap beside xds_v3. */
  readonly serverFeatures: readonly string[];
  /** gRPC: environment variables. Absent: none. */
  readonly env?: Readonly<Record<string, string>>;
  readonly protocol: Protocol;
  /** gRPC: the targets that are called from the start. Absent: svc-a. */
  readonly targets?: readonly string[];
  /** An empty folder for bootstrap and logs. */
  readonly workDir: string;
  /** Envoy: the port of each listener. */
  readonly listenerPorts: Readonly<Record<string, number>>;
}

export interface ClientPeer extends Peer {
  readonly flavor: Flavor;
  readonly protocols: readonly Protocol[];
  start(prepared: Prepared, options: ClientOptions): Promise<RunningClient>;
}

/** A real xDS client in a process of its own. */
export interface RunningClient {
  /** host:port of its CSDS service, or of Envoy's admin interface. */
  readonly adminTarget: string;
  /** Returns what the client itself reports, with the log of its control plane. */
  account(server: ControlPlane): Promise<Account>;
  /** Opens and closes the channel to a second target. Absent: the client has no targets. */
  readonly targets?: { open(target: string): void; close(target: string): void };
  /** gRPC: `listener` is called with each result of the calls to the targets, as in "ok" or "error TEXT". */
  onCall?(listener: (target: string, result: string) => void): void;
  /** gRPC: results of calls on a channel of its own: numbers by the text of the answer, or by "error". */
  burst?(target: string, count: number): Promise<Readonly<Record<string, number>>>;
  /** gRPC: starts an xDS-enabled server. */
  serve?(address: string): void;
  /** Undefined while it runs; then why it ended. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  readonly flavor: Flavor;
  readonly workDir: string;
  /** go-control-plane: the shortest time between two pings of a client, as in "15s". Absent: gRPC-Go's default, 5 minutes. */
  readonly minPingTime?: string;
}

export interface ControlPlanePeer extends Peer {
  /** True if a client that requests one resource by its name receives a response when this is removed. */
  readonly answersRemoval: boolean;
  start(prepared: Prepared, options: ControlPlaneOptions): Promise<ControlPlane>;
}
