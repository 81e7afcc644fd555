import type { RowOf } from '../observation/resource-row';
import { resourceRowOf } from '../observation/resource-schemas';
import { time } from './answer-fields';

export const resourceRow = resourceRowOf(time);
export type ResourceRowJson = RowOf<string>;
