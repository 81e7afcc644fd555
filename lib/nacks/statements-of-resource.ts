import type { ResourceKey } from '../observation/resource-state';
import { normaliseTypeUrl } from '../xds/resource-type';
import type { NackStatement } from './nack-statement';

/** Returns the statements that name the resource; without such statements, those that name none, which are about every resource. */
export function statementsOfResource(
  statements: readonly NackStatement[],
  resource: ResourceKey,
): readonly NackStatement[] {
  const ofType = statements.filter(
    ({ typeUrl }) => typeUrl === undefined || typeUrl === normaliseTypeUrl(resource.typeUrl),
  );
  const own = ofType.filter((each) => each.resourceName === resource.name);
  if (own.length > 0) return own;
  return ofType.filter((each) => each.resourceName === undefined);
}
