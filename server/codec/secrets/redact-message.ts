import { redactText } from './redact-text';
import { redactTexts } from './redact-texts';

/** Redacts lines of the log, errors and notes, in which markers need no digest. Works before there is a key. */
export function redactMessage(text: string): string {
  return redactText(text, () => '[redacted]');
}

/** Redacts every text in plain JSON. */
export function redactMessages<T>(value: T): T {
  return redactTexts(value, redactMessage);
}
