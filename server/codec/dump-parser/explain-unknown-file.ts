/** Kinds of files that are imported by mistake, by bytes at a fixed place, with a hint. */
const unsupportedFiles: readonly (readonly [at: number, bytes: string, name: string])[] = [
  [0, 'PK\u0003\u0004', 'a zip archive: unpack it, and import its files'],
  [257, 'ustar', 'a tar archive: unpack it, and import its files'],
  [0, '\u0089PNG', 'a picture (PNG)'],
  [0, '\u00ff\u00d8\u00ff', 'a picture (JPEG)'],
  [0, '%PDF-', 'a PDF'],
  [0, '\u007fELF', 'a program (ELF)'],
  [0, '-----BEGIN ', 'PEM, as of a certificate or a key'],
  [0, 'SQLite format 3', 'an SQLite database'],
  [0, '\u00d4\u00c3\u00b2\u00a1', 'a packet capture'],
  [0, '\n\r\r\n', 'a packet capture'],
];

/** Returns undefined if the file is none of them. */
export function explainUnknownFile(bytes: Uint8Array): string | undefined {
  return unsupportedFiles.find(([at, reported]) => {
    return Buffer.from(bytes.subarray(at, at + reported.length)).toString('latin1') === reported;
  })?.[2];
}
