import { useQuery } from '@tanstack/react-query';
import { bodyFieldKey, bodyQuestion } from '@/app/_ask/body-question';
import { questionOptions } from '@/app/_ask/question';
import type { Notation } from '@/lib/view-model/inspector/text-lines';
import { findFieldRange, type TextRange } from './find-field-range';

/** The range of a field in the text of a body; null until it is known, and for no field or one that is not there. */
export function useBodyField(hash: string, notation: Notation, field: string | null): TextRange | null {
  const { data } = useQuery({
    queryKey: bodyFieldKey(hash, notation, field ?? ''),
    async queryFn({ client }): Promise<TextRange | null> {
      const { text } = await client.fetchQuery(
        questionOptions('resources/{hash}', bodyQuestion(hash, notation)),
      );
      return (await findFieldRange(text, field ?? '')) ?? null;
    },
    enabled: field !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? null;
}
