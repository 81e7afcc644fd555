import { grpcClients, grpcProfiles } from './profile';

/**
 * Transport of a probe. `ads` and `delta-ads`: one aggregated stream. `sotw` and `delta`: a stream for each type.
 * `rest`: REST-JSON polling. `file`: files that are moved into place.
 */
export const probeTransports = ['ads', 'delta-ads', 'sotw', 'delta', 'rest', 'file'] as const;
export type ProbeTransport = (typeof probeTransports)[number];

/** xDS API version on the wire. Older meshes use v2. */
export const apiVersions = ['v3', 'v2'] as const;
export type ApiVersion = (typeof apiVersions)[number];

/**
 * `observe`: ACKs everything, and reports violated rules. `validate`: accepts and rejects as the gRPC client of the profile
 * would.
 */
export const probeModes = ['observe', 'validate'] as const;
export type ProbeMode = (typeof probeModes)[number];

/** The models of how deletions, rejections and lost servers affect cached resources: gRFC A53 and A57, or gRFC A88. */
export const errorModels = ['pre-a88', 'a88'] as const;
export type ErrorModel = (typeof errorModels)[number];

/** The gRPC clients that mode `validate` can imitate: in their newest profile, or in another one. */
export const probeProfiles = [...grpcClients, ...grpcProfiles] as const;
export type ProbeProfile = (typeof probeProfiles)[number];
