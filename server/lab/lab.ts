import type { Server } from '@grpc/grpc-js';
import type { LabAssignmentChange, LabBackendChange, LabResource, LabStatus } from '@/lib/api/lab';
import type { Clock, Observe } from '../observe';
import type { LabResourceInput } from './assert-lab-resource';

export interface LabOptions {
  readonly observe: Observe;
  readonly clock: Clock;
  readonly backgroundFaults: boolean;
  /** The seed of background faults and of the calls that fail. */
  readonly seed?: number;
  /** Services to serve beside ADS and CSDS, as LRS is. */
  readonly addServices?: (server: Server) => void;
  /**
   * Opens a tap before the management server, on that port of loopback. Its clients connect to it then, but for one;
   * without it all of them connect to the server itself.
   */
  readonly openTap?: (tap: { readonly listen: string; readonly upstream: string }) => void;
  /** False: crashed clients stay down. */
  readonly clientRestart?: boolean;
}

/** The embedded mesh: a management server, backends and clients, all of it on loopback. Targets are "127.0.0.1:PORT". */
export interface Lab {
  readonly adsTarget: string;
  /**
   * Every client's CSDS, and the management server's own. The Python client comes later than the rest where its
   * interpreter is slow to answer: `onChange` reports.
   */
  readonly csdsTargets: readonly { readonly target: string; readonly label: string }[];
  status(): LabStatus;
  /** Called after every change of status or resources. Returns how to stop it. */
  onChange(listener: () => void): () => void;
  listResources(): LabResource[];
  /** Throws with expected and got. Background faults do not change what is set. */
  setResource(input: LabResourceInput): void;
  removeResource(typeUrl: string, name: string): void;
  /**
   * Sends everything again, or all of one type, as control planes do that make their versions of the time or of what
   * else changed: the same contents under a new version. Throws when the lab has nothing of the type.
   */
  renewVersion(typeUrl?: string): void;
  /** Unknown names throw. */
  pushFault(name: string): void;
  revertFault(name: string): void;
  stopBackend(name: string): void;
  startBackend(name: string): Promise<void>;
  /** Resolves when what is to run runs, or has said why not. */
  changeBackend(name: string, change: LabBackendChange): Promise<void>;
  /** As `changeBackend`; throws with expected and got for an assignment or locality that is not there. */
  changeAssignment(name: string, change: LabAssignmentChange): Promise<void>;
  setBackgroundFaults(backgroundFaults: 'on' | 'off'): void;
  /** The simulated reporter of load (load-reporter.ts). */
  setReporter(running: boolean): void;
  /** Resolves when every child is gone and every socket closed. */
  close(): Promise<void>;
}
