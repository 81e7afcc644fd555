import type { Profile } from '../../validate/profile';

/** Whose verdicts the rules of a profile were held against: other versions may answer differently. */
export const profileBasis: Readonly<Record<Profile, string>> = {
  core: 'measured with C-core 1.51',
  go: 'measured with grpc-go 1.64',
  java: 'as gRPC’s documents and grpc-java’s code say, not measured',
  node: 'measured with grpc-js-xds 1.14',
  envoy: 'by the constraints in Envoy’s protos and its documents, not measured',
};
