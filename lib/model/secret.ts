import type { FieldReader } from './field-reader';

/** An SDS resource. What is secret in it was redacted before it was stored, and is not read here. */
export interface SecretModel {
  readonly kind: 'secret';
  /** What it holds, in words; empty when it says nothing that is known. */
  readonly holds: string;
}

const kinds: readonly (readonly [field: string, words: string])[] = [
  ['tlsCertificate', 'TLS certificate'],
  ['validationContext', 'validation context'],
  ['sessionTicketKeys', 'session ticket keys'],
  ['genericSecret', 'generic secret'],
];

export function readSecret(secret: FieldReader): SecretModel {
  return { kind: 'secret', holds: kinds.find(([field]) => secret.has(field))?.[1] ?? '' };
}
