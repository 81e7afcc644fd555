import { redactMessage } from '../../codec/secrets/redact-message';

/** The reason of an HTTP error is at the start of the body. */
export const maxErrorBodyBytes = 1_024;

/** The reason in the body of an HTTP error, in one line, redacted. Empty if the body is a web page or no text. */
export function readHttpErrorText(body: Buffer): string {
  const text = body.subarray(0, maxErrorBodyBytes).toString('utf8').replace(/\s+/g, ' ').trim();
  if (/^<(?:!doctype|html)/i.test(text) || isBinary(text)) return '';
  return redactMessage(text.replace(quotedCredential, '$1$2[redacted]$2'));
}

/** Servers quote a rejected credential. In texts in general a quoted token is mostly one of a parser. */
const quotedCredential = /(\b(?:token|secret|key)\s{1,4}(?:is\s{1,4})?)(["'`])[^"'`]{4,}\2/gi;

/** Such as a compressed body. The last character may be cut. */
function isBinary(text: string): boolean {
  return /[\p{Cc}\ufffd]/u.test(text.slice(0, -3));
}
