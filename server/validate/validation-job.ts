import type { RuleContext } from '@/lib/validate/rule';
import { type Finding, validateResource } from '@/lib/validate/validate-resource';
import { readEnforcedConstraints } from '../codec/constraints';
import { decodeBody } from '../codec/decode-body';
import { markTexts, type RedactionMarker } from '../codec/redaction-marker';
import { redactText } from '../codec/secrets/redact-text';
import { redactTexts } from '../codec/secrets/redact-texts';
import type { Body } from '../observe';
import { type InputToValidate, type ValidatedInput, validateInput } from './validation-input';

/** A stored body and its context. */
type BodyToValidator = Pick<Body, 'hash' | 'typeUrl'> & { readonly context?: RuleContext | undefined };

export interface ValidationJobs {
  /** Returns the findings of each body, null for one that is not stored. `pending` bodies are not written yet. */
  bodies: {
    input: { readonly bodies: readonly BodyToValidator[]; readonly pending: readonly Body[] };
    output: (readonly Finding[] | null)[];
  };
  input: { input: InputToValidate; output: ValidatedInput };
}

/** Redacts the result, because a problem or a name may quote a secret. */
export function validateRedacted(input: InputToValidate, marker: RedactionMarker): ValidatedInput {
  return redactTexts(validateInput(input, marker), (text) => redactText(text, markTexts(marker)));
}

export function validateBody({
  typeUrl,
  bytes,
  context,
}: Omit<BodyToValidator, 'hash'> & Pick<Body, 'bytes'>): readonly Finding[] {
  return validateResource(typeUrl, decodeBody(typeUrl, bytes, { asV3: true }).json, {
    ...context,
    constraints: readEnforcedConstraints(),
  });
}
