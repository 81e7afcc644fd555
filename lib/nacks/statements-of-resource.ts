import type { ResourceKey } from '../observation/observation';
import { normaliseTypeUrl } from '../xds/resource-type';
import type { NackStatement } from './nack-statement';

/**
 * What a text says of one resource, and where it says it: of the resource by name, or, of one that it only counts, by
 * its place among `names`, those of the rejected response. A text that names no resource at all speaks of each; one
 * that names others alone says nothing of this one.
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
