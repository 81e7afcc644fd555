import type { RuleContext } from '@/lib/validate/rule';
import { type Finding, validateResource } from '@/lib/validate/validate-resource';
import { readConstraints } from '../codec/constraints';
import { decodeBody } from '../codec/decode-body';
import { markTexts, type RedactionMarker } from '../codec/redaction-marker';
import { redactText } from '../codec/secrets/redact-text';
import { redactTexts } from '../codec/secrets/redact-texts';
import type { Body } from '../observe';
import type { JobRunners } from '../threads/serve-jobs';
import { type InputToJudge, type JudgedInput, judgeInput } from './judge-input';

/** A body as its client knows it. */
export type BodyToJudge = Pick<Body, 'typeUrl' | 'bytes'> & { readonly context?: RuleContext };

export interface JudgeJobs {
  /** In order: what each body breaks. */
  bodies: { input: readonly BodyToJudge[]; output: (readonly Finding[])[] };
  input: { input: InputToJudge; output: JudgedInput };
}

/** The same functions for both places: the event loop and the worker. */
export function judgeJobRunners(marker: RedactionMarker): JobRunners<JudgeJobs> {
  return {
    bodies: (bodies) => bodies.map(judgeBody),
    // A problem of the document, or a name in it, may quote what was wrong.
    input: (input) => redactTexts(judgeInput(input, marker), (text) => redactText(text, markTexts(marker))),
  };
}

function judgeBody({ typeUrl, bytes, context }: BodyToJudge): readonly Finding[] {
  return validateResource(typeUrl, decodeBody(typeUrl, bytes, { asV3: true }).json, {
    ...context,
    constraints: readConstraints(),
  });
}
