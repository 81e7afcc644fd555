import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';
import { startGrpcClient } from '../grpc-client';
import type { ClientPeer } from '../peer';

const { version } = JSON.parse(
  readFileSync(path.join(projectRoot, 'node_modules/@grpc/grpc-js-xds/package.json'), 'utf8'),
) as { version: string };

/** The release that package-lock.json locks. tests/peers.mjs builds its program. */
export const grpcJsXds: ClientPeer = {
  name: 'grpc-js-xds',
  versions: [version],
  tools: [],
  inputs: [],
  flavor: 'grpc',
  protocols: ['sotw'],
  prepare: async () => {},
  start: (_, options) =>
    startGrpcClient(
      process.execPath,
      [path.join(projectRoot, '.build', 'peers', 'grpc-js-xds-client.mjs')],
      {},
      options,
    ),
};
