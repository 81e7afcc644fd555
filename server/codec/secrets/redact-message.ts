import { redactText } from './redact-text';
import { redactTexts } from './redact-texts';

/** Redacts lines of the log, errors and notes, in which markers need no digest. It works before there is a key. */
export function redactMessage(text: string): string {
  return redactText(text, () => '[redacted]');
}

export function redactMessages<T>(value: T): T {
  return redactTexts(value, redactMessage);
}
