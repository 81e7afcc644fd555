import type { WireTypeName } from './unknown-field';

/** A part that could not be decoded to fields. Its bytes are in the JSON. */
export interface OpaquePart {
  /** JSON path, '' for the whole resource. */
  readonly path: string;
  readonly typeUrl: string;
  readonly sizeBytes: number;
  /** SHA-256, hex. */
  readonly hash: string;
  readonly reason: string;
}

/** A field that the type of its message does not declare, mostly of a newer version of the type. */
export interface UnknownPart {
  /** JSON path of the message, '' for the resource itself. */
  readonly path: string;
  readonly field: number;
  readonly wireType: WireTypeName;
  /** Size of the value without tag and length. */
  readonly sizeBytes: number;
  /** SHA-256 of the value, hex. */
  readonly hash: string;
}

/** A part of a v2 type. Its JSON keeps the v2 "@type", and has the field names of the type that it is decoded as. */
export interface V2Part {
  /** JSON path, '' for the whole resource. */
  readonly path: string;
  readonly typeUrl: string;
  /** Full name of the v3 twin, or of the v2 type if there is none. */
  readonly readAs: string;
}
