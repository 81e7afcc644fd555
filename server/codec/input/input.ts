export interface InputResource {
  /** The URL has its prefix; a v2 type remains v2. */
  readonly typeUrl: string;
  /** Empty if the resource has no name. */
  readonly name: string;
  /** The version in its envoy.service.discovery.v3.Resource wrapper. */
  readonly version?: string;
  readonly bytes: Uint8Array;
  /** JSON path in the document, '' for the whole document. */
  readonly place: string;
}

/** A part of a document that was left out, or not read as written. It quotes no text of the document. */
export interface InputProblem {
  readonly place: string;
  readonly reason: string;
}
