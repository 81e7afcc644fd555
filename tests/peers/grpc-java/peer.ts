import { startGrpcClient } from '../grpc-client';
import { buildJava, javaArguments } from '../java-build';
import type { ClientPeer } from '../peer';

export const grpcJava: ClientPeer = {
  name: 'grpc-java',
  versions: ['1.85.1', '1.60.1'],
  tools: ['java', 'javac', 'mvn'],
  inputs: ['tests/peers/grpc-java/Client.java', 'tests/peers/grpc-java/pom.xml', 'tests/peers/java-build.ts'],
  flavor: 'grpc',
  protocols: ['sotw'],
  prepare: (dir, version) => buildJava(dir, 'grpc-java', 'Client.java', [`grpc.version=${version}`]),
  start: ({ dir }, options) => startGrpcClient('java', javaArguments(dir, 'Client'), {}, options),
};
