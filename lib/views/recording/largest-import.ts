export const largestImportBytes = 200 * 1024 * 1024;
