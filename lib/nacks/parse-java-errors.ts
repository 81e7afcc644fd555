import { findResourceTypeOfService } from './find-resource-type';
import { type NackStatement, statementOf } from './nack-statement';
import { withWord } from './parse-indexed-errors';
import { type Piece, slicePiece } from './piece';

/**
 * grpc-java, one line each: "CDS response Cluster 'a' validation error: ...", "CDS response Resource index 0 - ...", or
 * "Unsupported resource name: a for type: CDS". A reason may have several lines. undefined: another client's text.
 */
export function parseJavaErrors(piece: Piece): NackStatement[] | undefined {
  const { text } = piece;
  const starts = [
    ...text.matchAll(
      /^(?:([A-Z]+) response (?:\w+ '(.*?)' validation error: |[Rr]esource index (\d+)(?: - |: | ))|(?=Unsupported resource name: (.*?) for type: ([A-Z]+)$))/gm,
    ),
  ];
  if (starts[0]?.index !== 0) return undefined;
  return starts.map(({ index, 0: lead, 1: reported, 2: valid, 3: place, 4: unsupported, 5: ofType }, at) => {
    const service = reported ?? ofType ?? '';
    const name = valid ?? unsupported;
    const typeUrl = findResourceTypeOfService(service)?.typeUrl;
    const reason = slicePiece(piece, index + lead.length, starts[at + 1]?.index);
    const subject = {
      ...(typeUrl === undefined ? {} : { typeUrl }),
      ...(name === undefined ? {} : { resourceName: name }),
      ...(place === undefined ? {} : { resourceIndex: Number(place) }),
    };
    return statementOf(withWord(subject, reason.text), reason);
  });
}
