import { redactTexts } from './redact-texts';

/** Members that hold no text of a peer's, or ids that were made of text that is redacted already. */
const ids: ReadonlySet<string> = new Set([
  ...['kind', 'vantage', 'side', 'sourceId', 'clientId', 'streamId', 'hash', 'failedHash'],
  ...[
    'clientStatus',
    'configStatus',
    'stage',
    'apiVersion',
    'part',
    'changedAt',
    'originalVantage',
    'fileId',
  ],
]);

/** An observation (or a part of one) without secrets in the texts of it: errors, names, versions, details. */
export function redactObservation<T>(observation: T, redact: (text: string) => string): T {
  return redactTexts(observation, redact, ids);
}
