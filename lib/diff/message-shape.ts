/** What the diff asks of a field of a message, in the words of proto3 JSON. */
export interface FieldShape {
  readonly shape: 'single' | 'list' | 'map';
  /** Full name of the message that its values are; undefined: they are scalars or enums. */
  readonly message: string | undefined;
  /** What the field is when it is not there. undefined: not being there is a state of its own (messages, wrappers, oneofs). */
  readonly zero: string | number | boolean | undefined;
}

export interface MessageShape {
  /** By the name in JSON, as in "lbEndpoints". */
  readonly fields: ReadonlyMap<string, FieldShape>;
}

/**
 * By full name, as in "envoy.config.cluster.v3.Cluster". undefined: the type is not known, or its JSON is not an object of
 * its fields (a Struct, a Duration, a wrapper); it is compared as plain JSON then.
 */
export type FindShape = (message: string) => MessageShape | undefined;
