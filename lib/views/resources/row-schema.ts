import type { ResourceRow } from '../../observation/resource-row';

export { resourceRow } from '../../observation/resource-schemas';
export type ResourceRowJson = ResourceRow;
