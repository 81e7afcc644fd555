import { findUnchecked } from '@/lib/validate/find-unchecked';
import type { RuleContext } from '@/lib/validate/rule';
import { type ValidatedResource, validateResource } from '@/lib/validate/validate-resource';
import { decodeBody } from '../../codec/decode-body';
import { markTexts, type RedactionMarker } from '../../codec/redaction-marker';
import { redactText } from '../../codec/secrets/redact-text';
import { redactTexts } from '../../codec/secrets/redact-texts';
import type { Body } from '../../observe';
import type { JobSet } from '../../workers/compute';
import type { CheckedInput, InputToCheck } from './check-input';
import { contextOfDecoded } from './decoded-context';
import { type InputToValidate, type ValidatedInput, validateInput } from './validation-input';

/** A stored body and its context. */
type BodyToValidator = Pick<Body, 'hash' | 'typeUrl'> & { readonly context?: RuleContext | undefined };

export interface ValidationJobs {
  /** Returns what is found in each body, null for one that is not stored. `pending` bodies are not written yet. */
  bodies: {
    input: { readonly bodies: readonly BodyToValidator[]; readonly pending: readonly Body[] };
    output: (ValidatedResource | null)[];
  };
  input: { input: InputToValidate; output: ValidatedInput };
  check: { input: InputToCheck; output: CheckedInput };
}

export interface ValidationData {
  readonly redactionKey: Uint8Array;
  readonly file: string;
}

export const validationJobs: JobSet<'validation', ValidationData, ValidationJobs> = {
  name: 'validation',
  thread: 'whole',
};

/** Redacts the result, because a problem or a name may quote a secret. */
export function validateRedacted(input: InputToValidate, marker: RedactionMarker): ValidatedInput {
  return redactTexts(validateInput(input, marker), (text) => redactText(text, markTexts(marker)));
}

export function validateBody({
  typeUrl,
  bytes,
  context,
}: Omit<BodyToValidator, 'hash'> & Pick<Body, 'bytes'>): ValidatedResource {
  const { json, v2 } = decodeBody(typeUrl, bytes, { asV3: true });
  const findings = validateResource(typeUrl, json, { ...context, ...contextOfDecoded(typeUrl, v2) });
  return { findings, unchecked: findUnchecked(typeUrl, json) };
}
