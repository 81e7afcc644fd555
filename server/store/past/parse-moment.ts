import { isoTime } from '@/lib/views/fields/query-fields';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';

/** A requested moment: a time, or the state right after an observation. */
export type RequestedMoment =
  | { readonly kind: 'time'; readonly at: EpochMs }
  | { readonly kind: 'seq'; readonly seq: number };

/** `field` is the name of the query parameter. Throws 400 if `text` is not a moment. */
export function parseMoment(text: string, field: string): RequestedMoment {
  const seq = /^seq:(\d{1,15})$/.exec(text)?.[1];
  if (seq !== undefined) return { kind: 'seq', seq: Number(seq) };
  const time = isoTime.safeParse(text);
  if (time.success) return { kind: 'time', at: time.data };
  throw badRequest(
    `${field}: expected a time as in 2026-11-21T11:04:07.123Z, or seq: and an event's number as in seq:4711, got ${JSON.stringify(text)}`,
    field,
  );
}
