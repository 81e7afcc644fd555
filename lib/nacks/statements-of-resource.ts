import type { ResourceKey } from '../observation/resource-state';
import { normaliseTypeUrl } from '../xds/resource-type';
import type { NackStatement } from './nack-statement';

/**
 * Returns the statements about a resource, which name it, or contain its index in `names`, those of the rejected response.
 * Without such statements, those that name no resource are about every resource.
 */
export function statementsOfResource(
  statements: readonly NackStatement[],
  resource: ResourceKey,
  names: readonly string[] = [],
): readonly NackStatement[] {
  const ofType = statements.filter(
    ({ typeUrl }) => typeUrl === undefined || typeUrl === normaliseTypeUrl(resource.typeUrl),
  );
  const own = ofType.filter((each) => nameOf(each, names) === resource.name);
  if (own.length > 0) return own;
  return ofType.filter((each) => nameOf(each, names) === undefined);
}

function nameOf(
  { resourceName, resourceIndex }: NackStatement,
  names: readonly string[],
): string | undefined {
  if (resourceName !== undefined) return resourceName;
  return resourceIndex === undefined ? undefined : names[resourceIndex];
}
