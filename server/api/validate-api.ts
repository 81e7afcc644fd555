import type { Validation } from '@/lib/api/findings';
import { profiles } from '@/lib/validate/profile';
import type { Judge } from '../validate/judge';
import { badRequest } from './api-error';

/** A request's body, unread. */
export interface RawInput {
  readonly bytes: Uint8Array;
  /** As in the Content-Type header. */
  readonly contentType: string;
  readonly profile: string;
  readonly typeUrl?: string;
}

/** What a client would make of what somebody holds in the hand. Nothing is stored. */
export async function validateInput(
  judge: Judge,
  { profile, contentType, ...input }: RawInput,
): Promise<Validation> {
  const known = profiles.find((each) => each === profile);
  if (known === undefined) {
    throw badRequest(`expected one of ${profiles.join(', ')}, got ${JSON.stringify(profile)}`, 'profile');
  }
  const judged = await judge.judgeInput({ ...input, profile: known, format: formatOf(contentType) });
  if (!judged.ok) throw badRequest(judged.reason);
  return judged.validation;
}

function formatOf(contentType: string): 'json' | 'yaml' | 'text' {
  if (/\byaml\b/i.test(contentType)) return 'yaml';
  return /\bjson\b/i.test(contentType) ? 'json' : 'text';
}
