import { type NackStatement, statementOf } from './nack-statement';
import { type Piece, slicePiece, splitPiece } from './piece';

/**
 * Our own probe, one line for each resource: `"a": endpoints[0].locality: expected ..., got ...; ...`, or, where it is
 * not read as far as that, `resources[0] "a": ...`. undefined: another client's text.
 */
export function parseProbeErrors(piece: Piece): NackStatement[] | undefined {
  const starts = [...piece.text.matchAll(/^(?:resources\[(\d+)\](?: (?=")|: ))?(?:"(.*?)": )?/gm)].filter(
    ([lead]) => lead !== '',
  );
  if (starts[0]?.index !== 0) return undefined;
  return starts.flatMap(({ index, 0: lead, 1: place, 2: name }, at) => {
    const line = slicePiece(
      piece,
      index + lead.length,
      starts[at + 1]?.index ?? endOfLine(piece.text, index),
    );
    const subject = {
      ...(place === undefined ? {} : { resourceIndex: Number(place) }),
      ...(name === undefined ? {} : { resourceName: name }),
    };
    return splitPiece(line, /; (?=\S*: expected )/y).map((reason) => {
      const path = /^(\S.*?): expected /.exec(reason.text)?.[1];
      const isField = path !== undefined && path !== 'the resource' && !/\s/.test(path);
      return statementOf({ ...subject, ...(isField ? { fieldPath: path } : {}) }, reason);
    });
  });
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
