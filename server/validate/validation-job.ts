import type { RuleContext } from '@/lib/validate/rule';
import { type Finding, validateResource } from '@/lib/validate/validate-resource';
import { readConstraints } from '../codec/constraints';
import { decodeBody } from '../codec/decode-body';
import { markTexts, type RedactionMarker } from '../codec/redaction-marker';
import { redactText } from '../codec/secrets/redact-text';
import { redactTexts } from '../codec/secrets/redact-texts';
import type { Body } from '../observe';
import type { JobRunners } from '../workers/serve-jobs';
import { type InputToValidate, type ValidatedInput, validateInput } from './validation-input';

/** A body as its client knows it. */
export type BodyToValidator = Pick<Body, 'typeUrl' | 'bytes'> & { readonly context?: RuleContext };

export interface ValidationJobs {
  /** In order: what each body breaks. */
  bodies: { input: readonly BodyToValidator[]; output: (readonly Finding[])[] };
  input: { input: InputToValidate; output: ValidatedInput };
}

/** The same functions for both places: the event loop and the worker. */
export function validateJobRunners(marker: RedactionMarker): JobRunners<ValidationJobs> {
  return {
    bodies: (bodies) => bodies.map(validateBody),
    // A problem of the document, or a name in it, may quote what was wrong.
    input: (input) =>
      redactTexts(validateInput(input, marker), (text) => redactText(text, markTexts(marker))),
  };
}

function validateBody({ typeUrl, bytes, context }: BodyToValidator): readonly Finding[] {
  return validateResource(typeUrl, decodeBody(typeUrl, bytes, { asV3: true }).json, {
    ...context,
    constraints: readConstraints(),
  });
}
