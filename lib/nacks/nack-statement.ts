import type { Piece } from './piece';

/** One thing that an error text says: of one resource, of one field. What is not there is not reported. */
export interface NackStatement {
  readonly typeUrl?: string;
  readonly resourceName?: string;
  /** Place in the rejected response, from 0 on: all that grpc-js-xds reports a resource. */
  readonly resourceIndex?: number;
  /**
   * The field, as in proto3 JSON: "endpoints[0].locality". An element that is not reported is "[]", one of a map, or one
   * that is reported by its name, is '["vh"]'. It may start in the middle: locateField looks where that is.
   */
  readonly fieldPath?: string;
  /** What is wrong, in the client's words. */
  readonly reason: string;
  /** Where `reason` is in the text. */
  readonly range: { readonly from: number; readonly to: number };
}

type Subject = Omit<NackStatement, 'reason' | 'range'>;

export function statementOf(subject: Subject, reason: Piece): NackStatement {
  return {
    ...subject,
    reason: reason.text,
    range: { from: reason.from, to: reason.from + reason.text.length },
  };
}
