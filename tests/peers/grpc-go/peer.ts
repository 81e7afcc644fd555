import path from 'node:path';
import { buildGo } from '../go-build';
import { startGrpcClient } from '../grpc-client';
import type { ClientPeer } from '../peer';

export const grpcGo: ClientPeer = {
  name: 'grpc-go',
  versions: ['1.85.0', '1.76.0', '1.72.2', '1.64.1'],
  tools: ['go'],
  inputs: ['tests/peers/grpc-go/client.go', 'tests/peers/go-build.ts'],
  flavor: 'grpc',
  protocols: ['sotw'],
  prepare: (dir, version) => buildGo(dir, 'grpc-go/client.go', [`google.golang.org/grpc@v${version}`]),
  start: ({ dir }, options) => startGrpcClient(path.join(dir, 'program'), [], {}, options),
};
