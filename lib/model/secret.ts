import type { FieldReader } from './field-reader';

/** An SDS resource. Secret values are redacted before storage and not read here. */
export interface SecretModel {
  readonly kind: 'secret';
  /** What it contains, formatted; empty if the kind is unknown. */
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
