import { redactText } from './redact-text';
import { redactTexts } from './redact-texts';

/** For what nobody compares: lines of the log, errors, notes. No key is needed, so that it works before there is one. */
export function redactMessage(text: string): string {
  return redactText(text, () => '[redacted]');
}

/** The same of every text in plain JSON. */
export function redactMessages<T>(value: T): T {
  return redactTexts(value, redactMessage);
}
