/** The limit for an uploaded file. */
export const largestImportBytes = 200 * 1024 * 1024;
