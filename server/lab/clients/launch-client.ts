import { type ChildProcess, fork, spawn } from 'node:child_process';
import path from 'node:path';
import { builtProgram, projectRoot } from '../../project-root';
import type { ClientProgram } from './client-program';
import type { ShopClient } from './shop-clients';

/** Starts a client that is connected to its parent by a pipe. It ends when the pipe breaks, even after kill -9. */
export function launchClient(
  client: ShopClient,
  program: ClientProgram,
  options: { adsTarget: string; python: string },
): ChildProcess {
  const args = [JSON.stringify(program)];
  const env = environmentOf(client, options.adsTarget);
  if (client.kind === 'python-client') {
    const script = path.join(projectRoot, 'server', 'lab', 'python-client', 'xds_client.py');
    return spawn(options.python, ['-u', script, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  }
  return fork(builtProgram('lab-client'), args, {
    env,
    // Young generation and heap are small, because the whole lab must stay below 1 GiB.
    execArgv: ['--max-old-space-size=96', '--max-semi-space-size=2'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The environment excludes the user's own gRPC settings (proxies, bootstrap, experiments). */
function environmentOf(client: ShopClient, adsTarget: string): NodeJS.ProcessEnv {
  const { name, locality } = client;
  const bootstrap = {
    xds_servers: [
      { server_uri: adsTarget, channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] },
    ],
    node: {
      id: name,
      cluster: 'shop',
      locality: { region: locality.region, zone: locality.zone, sub_zone: locality.subZone },
      metadata: { app: name, team: 'shop' },
    },
  };
  const { PATH, HOME, TZ, LANG } = process.env;
  return {
    NODE_ENV: 'production',
    ...Object.fromEntries(
      Object.entries({ PATH, HOME, TZ, LANG }).filter(([, value]) => value !== undefined),
    ),
    GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap),
    // The mesh of the lab fails calls on purpose, so the library does not log them.
    GRPC_VERBOSITY: 'NONE',
  };
}
