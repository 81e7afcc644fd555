import type { RpcType } from '../observation/rpc-types';
import type { Expectation } from './expectation';

/** Backends are named by their group and their number: "a1", "a2", "b1". */
export interface CaseBackend {
  readonly name: string;
  readonly port: number;
  /** It runs, and serves by its own report. */
  readonly isHealthy: boolean;
}

/** What the management server of a run knows when it builds resources. */
export interface CaseMesh {
  /** The backends of a group, in their order. */
  readonly group: (name: string) => readonly CaseBackend[];
  /** node.metadata of the client. */
  readonly nodeMetadata: Readonly<Record<string, string>>;
  /** Requests per second of a cluster, by the newest load report. */
  readonly rateOf: (cluster: string) => number;
}

/** A resource as proto3 JSON. */
export interface CaseResource {
  readonly typeUrl: string;
  readonly name: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Called again whenever the mesh has changed: all that a server serves follows from the mesh. */
export type BuildResources = (mesh: CaseMesh) => readonly CaseResource[];

/** The management servers of a case: `primary` is the first of the bootstrap. */
export type CaseServer = 'primary' | 'fallback' | 'authority';

export type CaseAction =
  /** From now on the server serves these resources. */
  | { readonly kind: 'serve'; readonly resources: BuildResources; readonly server?: CaseServer }
  | { readonly kind: 'stop-server' | 'start-server'; readonly server: CaseServer }
  /** The server stops when a client requests the resource. An empty name: no longer. */
  | {
      readonly kind: 'stop-server-on';
      readonly server: CaseServer;
      readonly typeUrl: string;
      readonly name: string;
    }
  | { readonly kind: 'stop-backends' | 'start-backends'; readonly backends: readonly string[] }
  /** The second address, [::1], of the backends stops: see `dualStack`. */
  | { readonly kind: 'stop-second-address'; readonly backends: readonly string[] }
  /** XdsUpdateHealthService. `used`: the backends of the newest block. */
  | {
      readonly kind: 'set-serving';
      readonly backends: readonly string[] | 'used';
      readonly isServing: boolean;
    }
  /** XdsUpdateClientConfigureService. */
  | {
      readonly kind: 'configure';
      readonly types: readonly RpcType[];
      readonly metadata?: readonly { readonly type: RpcType; readonly key: string; readonly value: string }[];
      readonly timeoutSeconds?: number;
    };

export interface CaseStep {
  /** A sentence without a full stop. */
  readonly title: string;
  /** In their order. */
  readonly actions?: readonly CaseAction[];
  /** Done before each measurement, of which the first has the number 0. */
  readonly actionOfTurn?: (turn: number) => CaseAction;
  /** Measured again and again until it holds. */
  readonly expect: Expectation;
  /** Absent: `usualStepMs`. */
  readonly withinMs?: number;
}

export const usualStepMs = 30_000;

/** How the client is started. */
interface CaseClient {
  /** Absent: "xds:///svc". */
  readonly target?: string;
  /** RPCs of each type per second. Absent: 100. */
  readonly qps?: number;
  /** Absent: UnaryCall alone. */
  readonly types?: readonly RpcType[];
  readonly metadata?: readonly { readonly type: RpcType; readonly key: string; readonly value: string }[];
  readonly timeoutSeconds?: number;
  /** Environment variables that switch the feature on in clients that have it as an experiment: set after a run without them that does not work. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface InteropCase {
  /** The name of the gRPC test description where it has the case. */
  readonly name: string;
  /** One sentence: what the case proves. */
  readonly title: string;
  readonly feature: string;
  readonly grfc?: string;
  readonly origin: 'description' | 'later';
  /** The number of backends of each group. */
  readonly backends: Readonly<Record<string, number>>;
  /** Backends listen on [::1] at the port of 127.0.0.1 as well. */
  readonly dualStack?: true;
  readonly client?: CaseClient;
  /**
   * Channels have xDS credentials (gRFC A29) and backends are xDS-enabled servers (gRFC A36), both with certificates in their
   * bootstrap, and with plaintext where the config has no transport socket.
   */
  readonly isSecure?: true;
  /** What the primary server serves at first. Absent: it does not run at first. */
  readonly resources?: BuildResources;
  /** The servers of the bootstrap. Absent: the primary alone. */
  readonly servers?: readonly CaseServer[];
  /** Done before the client starts. */
  readonly setup?: readonly CaseAction[];
  readonly steps: readonly CaseStep[];
}
