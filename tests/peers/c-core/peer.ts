import { runTool, suiteFile } from '../cache';
import { startGrpcClient } from '../grpc-client';
import type { ClientPeer } from '../peer';

/** gRPC C-core in Python. Version of grpcio -> version of grpcio-admin, which lacks some releases; else the same. */
const adminVersions: Record<string, string> = { '1.85.1': '1.85.0', '1.66.2': '1.66.2' };

export const cCore: ClientPeer = {
  name: 'c-core',
  versions: Object.keys(adminVersions),
  tools: ['python3'],
  inputs: ['tests/peers/c-core/peer.ts'],
  flavor: 'grpc',
  protocols: ['sotw'],
  async prepare(dir, version) {
    const packages = [`grpcio==${version}`, `grpcio-admin==${adminVersions[version] ?? version}`];
    await runTool('python3', ['-m', 'pip', 'install', '--quiet', '--target', dir, ...packages], dir);
  },
  start: ({ dir }, options) =>
    startGrpcClient('python3', ['-u', suiteFile('c-core', 'client.py')], { PYTHONPATH: dir }, options),
};
