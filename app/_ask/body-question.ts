import type { QueryKey } from '@tanstack/react-query';
import type { Notation } from '@/lib/views/inspector/text-lines';
import { type QuestionInput, questionKey } from './question';

export function bodyQuestion(hash: string, format: Notation): QuestionInput<'resources/{hash}'> {
  return { hash, format, meta: '1' };
}

/** The key of the range of a field in the text of a body. */
export function bodyFieldKey(hash: string, format: Notation, field: string): QueryKey {
  return [...questionKey('resources/{hash}', bodyQuestion(hash, format)), 'field', field];
}
