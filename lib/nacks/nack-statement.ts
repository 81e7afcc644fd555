import type { Piece } from './piece';

/** One error of a NACK's text, about one resource and one field. Fields are absent if the text does not contain them. */
export interface NackStatement {
  readonly typeUrl?: string | undefined;
  readonly resourceName?: string | undefined;
  /** The index in the rejected response, from 0. grpc-js-xds reports no name besides it. */
  readonly resourceIndex?: number | undefined;
  /**
   * The field in proto3 JSON: "endpoints[0].locality". An element without an index is "[]"; an element of a map, or one
   * with a name, is '["vh"]'. The path may start below the root of the resource; locateField finds it.
   */
  readonly fieldPath?: string | undefined;
  /** Further properties of the field that the text states. */
  readonly hint?: FieldHint | undefined;
  /** The error, as the client reports it, without the message that Envoy prints into it. */
  readonly reason: string;
  /** The position of the error in the text. */
  readonly range: { readonly from: number; readonly to: number };
}

/** Conditions that a field of the payload has to meet. */
export interface FieldHint {
  /** The path begins in the message of this type in an Any: a full name, or its last part, as in "HttpConnectionManager". */
  readonly message?: string;
  /** The path begins in the element with this name, such as a filter, or in the map entry with this key. */
  readonly elementName?: string;
  /** The value of the field. Without an equal value, the value contains it. */
  readonly value?: string;
  readonly matches?: (value: unknown) => boolean;
  /** True if the field is the last one of several, as for duplicates. */
  readonly isLast?: boolean;
  /** True if the field is one that is not set. */
  readonly isAbsent?: boolean;
}

export type Subject = Omit<NackStatement, 'reason' | 'range'>;

export function statementOf(subject: Subject, reason: Piece): NackStatement {
  return {
    ...subject,
    reason: reason.text,
    range: { from: reason.from, to: reason.from + reason.text.length },
  };
}
