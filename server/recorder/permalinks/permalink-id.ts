import { randomBytes } from 'node:crypto';

/** 128 random bits: nobody finds a permalink that was not given to them. */
export function newPermalinkId(): string {
  return randomBytes(16).toString('base64url');
}
