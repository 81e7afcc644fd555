import type { HeaderConfig } from './credentials-config';
import { readCredentialFile } from './read-credential-file';

/** Printable ASCII and tabs: a line break would begin another header. */
const headerValue = /^[\t\x20-\x7e]{1,16384}$/;

/** The value, which the message of an error does not contain. The file is read for each call, as that of a token. */
export async function readHeader(header: HeaderConfig): Promise<string> {
  const value =
    'value' in header
      ? header.value
      : (await readCredentialFile(header.file, 'header')).toString('latin1').trim();
  if (headerValue.test(value)) return value;
  throw new Error(
    `header "${header.name}": expected 1 to 16,384 printable ASCII characters, got ${value.length} characters`,
  );
}
