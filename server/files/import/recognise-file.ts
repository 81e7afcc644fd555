import { magic } from '../xdscope-format/file-format';

/** What can be imported, by its first bytes: names and endings are for people. */
const recognisers = [
  { kind: 'xdscope', matches: (start: Buffer) => start.subarray(0, magic.length).equals(magic) },
] as const;

export type FileKind = (typeof recognisers)[number]['kind'];

/** So many bytes tell. */
export const startBytes = 64;

export function recogniseFile(start: Buffer): FileKind | undefined {
  return recognisers.find(({ matches }) => matches(start))?.kind;
}
