import { redactTexts } from './redact-texts';

/** These members contain no text of a peer, or ids that were built from redacted text. */
const ids: ReadonlySet<string> = new Set(
  `kind vantage originalVantage side sourceId clientId streamId fileId hash failedHash
  clientStatus configStatus stage apiVersion part changedAt`.split(/\s+/),
);

/** Redacts the texts of an observation or a part of one, such as errors, names and versions. */
export function redactObservation<T>(observation: T, redact: (text: string) => string): T {
  return redactTexts(observation, redact, ids);
}
