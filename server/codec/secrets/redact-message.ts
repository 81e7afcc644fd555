import { redactFreeText } from './redact-free-text';
import { redactText } from './redact-text';
import { redactTexts } from './redact-texts';

const withoutDigest = (): string => '[redacted]';

/** Redacts errors and notes, in which markers need no digest. It works before there is a key. */
export function redactMessage(text: string): string {
  return redactFreeText(text, withoutDigest);
}

/** Redacts lines of the log, which are not cut. */
export function redactOutputText(text: string): string {
  return redactText(text, withoutDigest);
}

export function redactMessages<T>(value: T): T {
  return redactTexts(value, redactMessage);
}
