import type { Validation } from '@/lib/api/findings';
import type { RawBody } from '@/lib/questions/command';
import type { Profile } from '@/lib/validate/profile';
import type { Judge } from '../validate/judge';
import { badRequest } from './api-error';

export interface ValidationInput extends RawBody {
  readonly profile: Profile;
  readonly typeUrl?: string | undefined;
}

/** Validates the resources of a request body. Nothing is stored. */
export async function validateInput(
  judge: Judge,
  { contentType, ...input }: ValidationInput,
): Promise<Validation> {
  const judged = await judge.judgeInput({ ...input, format: formatOf(contentType) });
  if (!judged.ok) throw badRequest(judged.reason);
  return judged.validation;
}

function formatOf(contentType: string): 'json' | 'yaml' | 'text' {
  if (/\byaml\b/i.test(contentType)) return 'yaml';
  return /\bjson\b/i.test(contentType) ? 'json' : 'text';
}
