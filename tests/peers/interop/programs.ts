import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '@/server/project-root';
import { runTool, suiteFile } from '../cache';
import { buildGo } from '../go-build';
import { buildJava } from '../java-build';
import type { Peer } from '../peer';

interface InteropPeer {
  /** The name in runs. */
  readonly name: string;
  readonly peer: Peer;
  /** It runs without `--interop` as well. */
  readonly isUsual: boolean;
}

const descriptors = 'protos/descriptors/types.binpb.gz';

/**
 * Clients of the gRPC xDS interop tests. Their names in the cache begin with "interop-", by which xdscope finds them
 * (server/lab/interop-runs/find-client-programs.ts).
 */
export const interopPeers: readonly InteropPeer[] = [
  {
    ...{ name: 'grpc-go', isUsual: true },
    peer: {
      name: 'interop-grpc-go',
      versions: ['1.85.0', '1.64.1'],
      tools: ['go'],
      inputs: [
        ...['client.go', 'twin.go', 'programs.ts'].map((file) => `tests/peers/interop/${file}`),
        'tests/peers/go-build.ts',
      ],
      async prepare(dir, version) {
        await copyFile(suiteFile('interop', 'twin.go'), path.join(dir, 'twin.go'));
        await buildGo(dir, 'interop/client.go', [`google.golang.org/grpc@v${version}`]);
      },
    },
  },
  {
    ...{ name: 'grpc-java', isUsual: false },
    peer: {
      name: 'interop-grpc-java',
      versions: ['1.85.1'],
      tools: ['java', 'javac', 'mvn'],
      inputs: [
        ...['TestClient.java', 'TwinClient.java', 'RpcBehaviorPolicy.java', 'pom.xml'].map(
          (file) => `tests/peers/interop/${file}`,
        ),
        ...[descriptors, 'tests/peers/java-build.ts', 'tests/peers/interop/programs.ts'],
      ],
      async prepare(dir, version) {
        await buildJava(dir, 'interop', 'TestClient.java', [`grpc.version=${version}`]);
        await copyFile(path.join(projectRoot, descriptors), path.join(dir, 'types.binpb.gz'));
      },
    },
  },
  {
    ...{ name: 'c-core', isUsual: false },
    peer: {
      name: 'interop-c-core',
      versions: ['1.85.1'],
      tools: ['python3'],
      inputs: [
        ...['client.py', 'twin.py', 'programs.ts'].map((file) => `tests/peers/interop/${file}`),
        descriptors,
      ],
      async prepare(dir, version) {
        // grpcio-admin has no release 1.85.1.
        const packages = [`grpcio==${version}`, 'grpcio-admin==1.85.0'];
        await runTool('python3', ['-m', 'pip', 'install', '--quiet', '--target', dir, ...packages], dir);
        for (const file of ['client.py', 'twin.py'])
          await copyFile(suiteFile('interop', file), path.join(dir, file));
        await copyFile(path.join(projectRoot, descriptors), path.join(dir, 'types.binpb.gz'));
      },
    },
  },
];
