import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { runTool } from '../cache';
import type { Peer } from '../peer';

const module_ = 'github.com/envoyproxy/gateway';

export const envoyGateway: Peer = {
  name: 'envoy-gateway',
  versions: ['1.9.1'],
  tools: ['go'],
  inputs: ['tests/peers/envoy-gateway/peer.ts'],
  async prepare(dir, version) {
    writeFileSync(path.join(dir, 'go.mod'), `module peer\n\ngo 1.26.7\n\nrequire ${module_} v${version}\n`);
    await runTool(
      'go',
      ['build', '-ldflags=-s -w', '-o', 'envoy-gateway', `${module_}/cmd/envoy-gateway`],
      dir,
      {
        GOFLAGS: '-mod=mod',
      },
    );
  },
};
