import type { ChildProcess } from 'node:child_process';
import { launchClient } from '@/server/lab/clients/client-fleet';
import { findPython } from '@/server/lab/python-client/find-python';
import { listenerName } from './builders/two-cluster-mesh';

const python = await findPython();

/** One of the two implementations that are real gRPC clients here. */
export interface RealKind {
  /** The name in titles of tests. */
  readonly title: string;
  /** The name is also its node id. */
  readonly name: string;
  readonly kind: 'client' | 'python-client';
  /** The client is not installed, and its tests are skipped. */
  readonly isAbsent: boolean;
}

export const bothClients: readonly RealKind[] = [
  { title: 'grpc-js-xds', name: 'by-grpc-js', kind: 'client', isAbsent: false },
  {
    title: `C-core ${python.kind === 'found' ? python.grpcVersion : '(skipped without python3-grpcio)'}`,
    name: 'by-c-core',
    kind: 'python-client',
    isAbsent: python.kind === 'absent',
  },
];

/** Starts a process that continuously calls through both clusters of the mesh. */
export function launchReal({ name, kind }: RealKind, adsTarget: string, adminPort = 0): ChildProcess {
  const call = (method: string) => ({ listener: listenerName, method, everyMs: 300, headers: {} });
  const calls = [call('/story.Good/Call'), call('/story.Odd/Call')];
  const locality = { region: 'here', zone: 'here-a', subZone: '' };
  const command = python.kind === 'found' ? python.command : '';
  const child = launchClient(
    { name, kind, text: '', locality, calls },
    { adminPort, calls },
    { adsTarget, python: command },
  );
  // An unread pipe would block the process when it is full.
  child.stdout?.resume();
  child.stderr?.resume();
  return child;
}
