import type * as z from 'zod';
import type { EpochMs } from '../xds/units';
import type { ReadonlyDeep } from './readonly-deep';
import type { resourceRowOf } from './resource-schemas';

/** `Time`: EpochMs, or ISO 8601 text where the row is JSON of the HTTP API. */
export type RowOf<Time> = ReadonlyDeep<z.infer<ReturnType<typeof resourceRowOf<z.ZodType<Time>>>>>;
export type AnswerOf<Time> = NonNullable<RowOf<Time>['answer']>;
export type EffectOf<Time> = NonNullable<RowOf<Time>['effect']>;
export type ResourceRow = RowOf<EpochMs>;
export type Delivery = NonNullable<ResourceRow['delivery']>;
