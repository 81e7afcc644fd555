import { markTexts, type RedactionMarker } from '../redaction-marker';
import type { Mark } from './placeholder';
import { redactFreeText } from './redact-free-text';
import { redactText } from './redact-text';
import { redactTexts } from './redact-texts';

/** These members contain no text of a peer, or ids that were built from redacted text. */
const ids: ReadonlySet<string> = new Set(
  `kind vantage originalVantage side sourceId clientId streamId fileId hash failedHash
  clientStatus configStatus stage apiVersion part changedAt`.split(/\s+/),
);

/** These members are not compared with texts in resources, unlike names, and are cut if they are long. */
const free: ReadonlySet<string> = new Set(
  `details errorDetail message reason error lastError problem notes note userAgentName userAgentVersion
  clientFeatures`.split(/\s+/),
);

/**
 * Redacts the texts of an observation or a part of one, such as errors, names and versions. It runs in the thread that
 * decoded them, because it takes processor time in proportion to texts that a peer chooses.
 */
export function redactObservation<T>(observation: T, marker: RedactionMarker): T {
  const mark = markTexts(marker);
  return redactTexts(observation, (text, key) => redactMember(text, key, mark), ids);
}

/** Redacts the text of a member of an observation, or an item of a list in it. */
export function redactMember(text: string, key: string, mark: Mark): string {
  return free.has(key) ? redactFreeText(text, mark) : redactText(text, mark);
}
