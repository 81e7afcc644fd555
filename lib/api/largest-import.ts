/** A file that is uploaded may be this large. */
export const largestImportBytes = 200 * 1024 * 1024;
