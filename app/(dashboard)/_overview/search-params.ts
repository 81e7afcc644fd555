import { parseAsString, parseAsStringLiteral } from 'nuqs/server';

/** The time range of the fleet strip: ISO 8601, empty: the last hour. Other pages have the same parameters. */
export const stripParsers = { from: parseAsString.withDefault(''), to: parseAsString.withDefault('') };

/** Which issues the Overview lists. */
export const issueListParser = parseAsStringLiteral(['open', 'muted', 'resolved'] as const).withDefault(
  'open',
);
