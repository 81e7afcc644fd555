import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';

export type ConformanceKind = { readonly kind: 'core'; readonly python: string } | { readonly kind: 'node' };

/** The process of a real client that subscribes to the listeners on its standard input. */
export function launchConformance(
  conformance: ConformanceKind,
  target: string,
  certificateProviders: readonly string[],
): ChildProcess {
  const provider = {
    plugin_name: 'file_watcher',
    config: { ca_certificate_file: '/nowhere/ca.pem', refresh_interval: '600s' },
  };
  const bootstrap = {
    xds_servers: [{ server_uri: target, channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] }],
    node: { id: conformance.kind, cluster: 'c', locality: { region: 'r', zone: 'z', sub_zone: 's' } },
    certificate_providers: Object.fromEntries(certificateProviders.map((name) => [name, provider])),
  };
  const script = (name: string) => path.join(projectRoot, 'tests/support/conformance', name);
  const [command, args] =
    conformance.kind === 'core'
      ? [conformance.python, ['-u', script('core_client.py')]]
      : [process.execPath, [script('node_client.mjs')]];
  return spawn(command, args, {
    env: {
      NODE_ENV: 'test',
      GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap),
      GRPC_VERBOSITY: 'NONE',
      // Only this timer polls the stream of C-core while no call is picked; its default is five seconds.
      GRPC_CLIENT_CHANNEL_BACKUP_POLL_INTERVAL_MS: '5',
    },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

/** True if the process has neither ended nor been killed. */
export function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

export async function endConformance(child: ChildProcess): Promise<void> {
  if (!isAlive(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await ended;
}
