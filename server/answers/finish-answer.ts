import type * as z from 'zod';
import { truncateLongTexts } from './truncate-long-texts';

/**
 * Returns an answer as it is sent: with the fields that its schema states and no others, and with long texts cut unless
 * the question asks for whole texts. Throws an Error that names the field if the answer violates its schema. A Response is
 * returned unchanged.
 */
export function finishAnswer(
  { answer: schema, hasWholeTexts }: { readonly answer?: z.ZodType; readonly hasWholeTexts?: true },
  answer: unknown,
): unknown {
  if (schema === undefined || answer === undefined || answer instanceof Response) return answer;
  const parsed = schema.safeParse(answer);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`the answer violates its schema at ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return hasWholeTexts ? parsed.data : truncateLongTexts(parsed.data);
}
