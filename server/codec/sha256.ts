import crypto from 'node:crypto';

/** Of one piece, in hex. In one go where Node can (from 20.12 on): for small ones that is half the time. */
export const sha256: (bytes: Uint8Array) => string =
  typeof crypto.hash === 'function'
    ? (bytes) => crypto.hash('sha256', bytes, 'hex')
    : (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');
