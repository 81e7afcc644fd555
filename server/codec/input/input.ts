/** What a person or a program holds in the hand: a file, a clipboard, the body of a request. */
export interface Input {
  readonly content: string | Uint8Array;
  /** Left out: it is recognised. `text` is protobuf's text format. */
  readonly format?: InputFormat;
  /** What the document as a whole is, where it does not say so itself: a type URL or a full name. */
  readonly typeUrl?: string;
}

export type InputFormat = 'json' | 'yaml' | 'text' | 'protobuf';

/** What the outermost message is: one resource, or one of the messages that resources come in. */
export type DocumentKind =
  | 'resource'
  | 'resources'
  | 'discovery-response'
  | 'config-dump'
  | 'client-status'
  | 'bootstrap'
  | 'other';

export interface InputResource {
  /** With its prefix; a v2 type stays v2. */
  readonly typeUrl: string;
  /** '' when it has none. */
  readonly name: string;
  /** Its own, as a wrapper reports it (envoy.service.discovery.v3.Resource). Not there: none was reported. */
  readonly version?: string;
  readonly bytes: Uint8Array;
  /** JSON path in the document, '' for all of it. */
  readonly place: string;
  /** A client rejected it: it is the failed configuration of an error state. */
  readonly isFailed: boolean;
}

/** What was left out, or taken in another way than it was written, and why. Never shows text of the document. */
export interface InputProblem {
  readonly place: string;
  readonly reason: string;
}

export interface ReadInput {
  readonly format: InputFormat;
  readonly kind: DocumentKind;
  readonly resources: readonly InputResource[];
  readonly problems: readonly InputProblem[];
}
