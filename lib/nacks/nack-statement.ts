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
  /** The error, as the client reports it. */
  readonly reason: string;
  /** The position of `reason` in the text. */
  readonly range: { readonly from: number; readonly to: number };
}

export type Subject = Omit<NackStatement, 'reason' | 'range'>;

export function statementOf(subject: Subject, reason: Piece): NackStatement {
  return {
    ...subject,
    reason: reason.text,
    range: { from: reason.from, to: reason.from + reason.text.length },
  };
}
