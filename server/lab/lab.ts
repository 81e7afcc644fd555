import type { Server } from '@grpc/grpc-js';
import type { LabAssignmentChange, LabBackendChange, LabResource, LabStatus } from '@/lib/views/lab/schema';
import type { Clock, Observe } from '../observe';
import type { LabResourceInput } from './assert-lab-resource';
import type { EnvoyFound } from './envoy-binary/find-envoy';

export interface LabOptions {
  readonly observe: Observe;
  readonly clock: Clock;
  readonly backgroundFaults: boolean;
  /** Adds services beside ADS and CSDS, such as LRS. */
  readonly addServices?: (server: Server) => void;
  /**
   * Opens a tap in front of the management server on the given loopback port. All clients except one then connect to
   * the tap; without this function all clients connect to the server itself.
   */
  readonly openTap?: (tap: { readonly listen: string; readonly upstream: string }) => void;
  /** Searches an Envoy, which becomes a client when it is found. Absent: the lab has no Envoy. */
  readonly findEnvoy?: () => Promise<EnvoyFound>;
}

export interface PolledTarget {
  readonly kind: 'csds' | 'channelz' | 'interop' | 'envoy-admin';
  readonly target: string;
  readonly label: string;
}

/** The embedded mesh: a management server, backends and clients on loopback. Targets have the form "127.0.0.1:PORT". */
export interface Lab {
  readonly adsTarget: string;
  /**
   * CSDS and RPCs of every gRPC client, CSDS of the management server, channelz of the clients on grpc-js, and the admin
   * interface of Envoy. The Python client and Envoy can be added later, when their programs have been checked; `onChange`
   * reports it.
   */
  readonly polledTargets: readonly PolledTarget[];
  status(): LabStatus;
  /** Called after every change of status or resources. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  listResources(): LabResource[];
  /** Throws an error with the expected and the actual value. Background faults do not change resources that are set. */
  setResource(input: LabResourceInput): void;
  removeResource(typeUrl: string, name: string): void;
  /**
   * Sends all resources, or all of one type, again with the same contents under a new version, as control planes do
   * whose versions depend on time or on other resources. Throws if the lab has no resource of the type.
   */
  renewVersion(typeUrl?: string): void;
  /** Throws if the name is unknown. */
  pushFault(name: string): void;
  revertFault(name: string): void;
  stopBackend(name: string): void;
  startBackend(name: string): Promise<void>;
  /** Resolves when the backends run, or when the reason why they do not is known. */
  changeBackend(name: string, change: LabBackendChange): Promise<void>;
  /** Changes backends like `changeBackend`. Throws if there is no such assignment or locality. */
  changeAssignment(name: string, change: LabAssignmentChange): Promise<void>;
  setBackgroundFaults(backgroundFaults: 'on' | 'off'): void;
  /** Stops the management server as a crash does, or starts it again on its port. Rejects if the port is in use. */
  setManagementServer(running: boolean): Promise<void>;
  /** Starts or stops the simulated load reporter (load-reporter.ts). */
  setReporter(running: boolean): void;
  /** Resolves when every child process has ended and every socket is closed. */
  close(): Promise<void>;
}
