import { parseAsStringLiteral } from 'nuqs/server';

/** Which issues the Overview lists. */
export const issueListParser = parseAsStringLiteral(['open', 'muted', 'resolved'] as const).withDefault(
  'open',
);
