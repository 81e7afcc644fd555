import type { Validation } from '@/lib/api/findings';
import type { RawBody } from '@/lib/questions/command';
import type { Profile } from '@/lib/validate/profile';
import { badRequest } from '../../api-error';
import type { Validator } from '../../validate/document-validator';

export interface ValidationInput extends RawBody {
  readonly profile: Profile;
  readonly typeUrl?: string | undefined;
}

/** Validates the resources of a request body. Nothing is stored. */
export async function validateInput(
  validate: Validator,
  { bytes, profile, typeUrl }: ValidationInput,
  signal?: AbortSignal,
): Promise<Validation> {
  const validated = await validate.validateInput({ bytes, profile, typeUrl }, signal);
  if (!validated.ok) throw badRequest(validated.reason);
  return validated.validation;
}
