/** A resource of the client, as proto3 JSON. */
export interface TwinResource {
  readonly typeUrl: string;
  readonly name: string;
  readonly json: unknown;
}

/** A copy that is being changed. */
export type MutableJson = Record<string, unknown>;

/** One difference between the config of the client and that of the twin. */
export interface TwinChange {
  readonly typeUrl: string;
  readonly name: string;
  /** The field, such as "filterChains[0].transportSocket"; empty for the whole resource. */
  readonly path: string;
  /** What was done, as in `removed` or `replaced by ...`. */
  readonly what: string;
  readonly why: string;
}

/** An endpoint of the client, and the port of loopback on which an echo backend answers for it. */
export interface TwinBackend {
  readonly port: number;
  /** The cluster; for endpoints of EDS, the name under which they are requested. */
  readonly cluster: string;
  readonly priority: number;
  /** "region/zone/sub_zone", without empty parts at the end. */
  readonly locality: string;
  /** The address of the client's endpoint. */
  readonly address: string;
}

export interface TwinListener {
  readonly name: string;
  /** 0: an API listener. */
  readonly port: number;
  /** The address of the client's listener; empty for an API listener. */
  readonly address: string;
  /** The names that the certificate of a caller must carry, where filter chains state them. */
  readonly callerNames: readonly SubjectName[];
}

/** A subject alternative name of a certificate. */
export interface SubjectName {
  readonly kind: 'dns' | 'uri' | 'email' | 'ip';
  readonly value: string;
}

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface TwinOptions {
  /** `envoy` receives listeners with addresses, `grpc` API listeners. */
  readonly client: 'envoy' | 'grpc';
  /** Returns another port at each call. */
  readonly nextPort: () => number;
  /** Issues a throw-away certificate with these names. */
  readonly issue: (names: readonly SubjectName[]) => Certificate;
  /** The certificate in PEM of the authority that issues them. */
  readonly authority: string;
  /** A JSON Web Key Set without a key of the client's issuers. */
  readonly keySet: string;
  /** Endpoints above this number are left out. */
  readonly mostEndpoints: number;
  /** The HTTP filter whose service denies the request. Absent: all services allow it. */
  readonly deniedBy?: string | undefined;
}

export type ServiceAnswer = 'allow' | 'deny';

/** An HTTP filter in whose external service's place a stub answers. */
export interface StubbedFilter {
  readonly filter: string;
  readonly answer: ServiceAnswer;
}

export interface Twin {
  readonly resources: readonly TwinResource[];
  readonly listeners: readonly TwinListener[];
  readonly backends: readonly TwinBackend[];
  /** The names that the certificates of the backends of a cluster must carry, by the name of the cluster or of its endpoints. */
  readonly backendNames: ReadonlyMap<string, readonly SubjectName[]>;
  readonly changes: readonly TwinChange[];
  /** One for each name of a filter. */
  readonly stubs: readonly StubbedFilter[];
}

/** The namespace of the metadata that the twin adds to routes, so that its access log states which one was chosen. */
export const routeMark = 'xdscope.twin';

export const loopback = '127.0.0.1';
