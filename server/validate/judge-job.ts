import { type Finding, validateResource } from '@/lib/validate/validate-resource';
import { readConstraints } from '../codec/constraints';
import { decodeBody } from '../codec/decode-body';
import type { RedactionMarker } from '../codec/redaction-marker';
import type { Body } from '../observe';
import type { JobRunners } from '../threads/serve-jobs';
import { type InputToJudge, type JudgedInput, judgeInput } from './judge-input';

export interface JudgeJobs {
  /** In order: what each body breaks. */
  bodies: { input: readonly Pick<Body, 'typeUrl' | 'bytes'>[]; output: (readonly Finding[])[] };
  input: { input: InputToJudge; output: JudgedInput };
}

/** The same functions for both places: the event loop and the worker. */
export function judgeJobRunners(marker: RedactionMarker): JobRunners<JudgeJobs> {
  return {
    bodies: (bodies) => bodies.map(({ typeUrl, bytes }) => judgeBytes(typeUrl, bytes)),
    input: (input) => judgeInput(input, marker),
  };
}

function judgeBytes(typeUrl: string, bytes: Uint8Array): readonly Finding[] {
  return validateResource(typeUrl, decodeBody(typeUrl, bytes, { asV3: true }).json, {
    constraints: readConstraints(),
  });
}
