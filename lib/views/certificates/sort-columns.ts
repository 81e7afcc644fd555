/** Columns by which GET certificates sorts. In a file of its own, because the browser must not load zod. */
export const certificateSortColumns = [
  'expires',
  'client',
  'names',
  'issuer',
  'role',
  'secret',
  'path',
] as const;
