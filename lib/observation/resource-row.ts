import type * as z from 'zod';
import type { ReadonlyDeep } from './readonly-deep';
import type { resourceRow } from './resource-schemas';

export type ResourceRow = ReadonlyDeep<z.infer<typeof resourceRow>>;
export type Answer = NonNullable<ResourceRow['answer']>;
export type Effect = NonNullable<ResourceRow['effect']>;
export type Delivery = NonNullable<ResourceRow['delivery']>;
