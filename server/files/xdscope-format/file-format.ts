/** These numbers are in files: their meaning never changes. See ../import/README.md. */

/** As in PNG, a transfer that changes line ends or clears the eighth bit is detected in the first bytes. */
export const magic = Buffer.from([0x89, 0x58, 0x44, 0x53, 0x0d, 0x0a, 0x1a, 0x0a]);
export const formatVersion = 1;

/** Names and endings of files are not considered. */
export function isRecording(start: Buffer): boolean {
  return start.subarray(0, magic.length).equals(magic);
}

/** Every block begins with the marker, so that a reader finds the next block behind a damaged one. */
export const blockMarker = Buffer.from('XDSB', 'latin1');

export const blockKinds = {
  header: 1,
  states: 2,
  observations: 3,
  bodies: 4,
  gaps: 5,
  labels: 6,
  load: 7,
  sources: 8,
  end: 255,
} as const;
export type BlockKind = keyof typeof blockKinds;

export const encodings = { plain: 0, deflated: 1 } as const;

/** The head: marker 4, kind 1, encoding 1, stored bytes 4, inflated bytes 4, checksum 8. */
export const blockHeadBytes = 22;
export const checksumBytes = 8;

/** A block of this size is closed. */
export const enoughBlockBytes = 256 * 1024;
/** Limit of a block. A body is never split. */
export const maxBlockBytes = 64 * 1024 * 1024;
