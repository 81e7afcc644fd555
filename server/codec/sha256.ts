import { hash } from 'node:crypto';

/** The digest of one piece in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
