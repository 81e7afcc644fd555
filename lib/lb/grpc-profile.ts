import { clientOf, type GrpcClient, newestOf, type Profile } from '../xds/profile';

/** The profile whose LB policies are simulated. Envoy builds no tree of policies: its clusters are those of C-core. */
export function grpcProfileOf(profile: Profile): Profile {
  return clientOf(profile) === 'envoy' ? newestOf('core') : profile;
}

/** C-core and Node are simulated as of gRFC A74 and A75, Go as of A74 without A75, and Java with half of A75. */
export function grpcClientOf(profile: Profile): GrpcClient {
  const client = clientOf(profile);
  return client === 'envoy' ? 'core' : client;
}

/**
 * Returns true if requests wait as long as no endpoint is usable, as measured with gRPC-Go 1.64.1. Version 1.72.2
 * fails them.
 */
export function waitsForEndpoints(profile: Profile): boolean {
  return profile === 'go-1.64';
}

/** Describes the state of a policy that has no usable endpoint. */
export function stateWithoutEndpoints(profile: Profile): string {
  return waitsForEndpoints(profile)
    ? 'requests wait, unless another priority is used'
    : 'it is in TRANSIENT_FAILURE at once';
}
