/**
 * How a probe talks to its servers. `ads` and `delta-ads`: one aggregated stream. `sotw` and `delta`: a stream for
 * each type. `rest`: REST-JSON polling. `file`: files that are moved into place.
 */
export const probeTransports = ['ads', 'delta-ads', 'sotw', 'delta', 'rest', 'file'] as const;
export type ProbeTransport = (typeof probeTransports)[number];

/** The API that is spoken on the wire: v2 is what older meshes have. */
export const apiVersions = ['v3', 'v2'] as const;
export type ApiVersion = (typeof apiVersions)[number];

/**
 * `observe`: accepts whatever decodes, reports what breaks rules, disturbs nobody. `validate`: accepts and rejects
 * as the gRPC client of the profile would.
 */
export const probeModes = ['observe', 'validate'] as const;
export type ProbeMode = (typeof probeModes)[number];

/** What a deletion, a rejection or a lost server does to what is cached: gRFC A53 and A57, or gRFC A88. */
export const errorModels = ['pre-a88', 'a88'] as const;
export type ErrorModel = (typeof errorModels)[number];

/** Whose verdicts `validate` gives: the gRPC clients. */
export const probeProfiles = ['core', 'go', 'java', 'node'] as const;
export type ProbeProfile = (typeof probeProfiles)[number];
