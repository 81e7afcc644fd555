import type { WireTypeName } from './unknown-field';

/** A part that could not be shown as fields; its bytes are in the JSON. */
export interface OpaquePart {
  /** JSON path, '' for the whole resource. */
  readonly path: string;
  readonly typeUrl: string;
  readonly sizeBytes: number;
  /** SHA-256, hex. */
  readonly hash: string;
  readonly reason: string;
}

/** A field that its message's type does not have: of a newer version of the type, mostly. */
export interface UnknownPart {
  /** JSON path of the message that it is in, '' for the resource itself. */
  readonly path: string;
  readonly field: number;
  readonly wireType: WireTypeName;
  /** Of the value, without tag and length. */
  readonly sizeBytes: number;
  /** SHA-256 of the value, hex. */
  readonly hash: string;
}

/** A part of a v2 type. Its JSON keeps the v2 "@type"; its fields have the names of the type that it is read as. */
export interface V2Part {
  /** JSON path, '' for the whole resource. */
  readonly path: string;
  readonly typeUrl: string;
  /** Full name of the v3 twin, or of the v2 type where that has none. */
  readonly readAs: string;
}
