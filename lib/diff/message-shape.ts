/** The shape of a field in proto3 JSON. */
export interface FieldShape {
  readonly shape: 'single' | 'list' | 'map';
  /** The full name of the message type of its values; undefined for scalars and enums. */
  readonly message: string | undefined;
  /** The value of the absent field; undefined if absence is a state of its own (messages, wrappers, oneofs). */
  readonly zero: string | number | boolean | undefined;
}

export interface MessageShape {
  /** The fields by JSON name, as in "lbEndpoints". */
  readonly fields: ReadonlyMap<string, FieldShape>;
}

/**
 * Finds a message by its full name, as in "envoy.config.cluster.v3.Cluster". Returns undefined if the type is not known, or
 * if its JSON is not an object of its fields (Struct, Duration, wrappers). Such values are compared as plain JSON.
 */
export type FindShape = (message: string) => MessageShape | undefined;
