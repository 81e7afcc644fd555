import { before, type Profile, profileSet, profilesOf } from '../../xds/profile';
import type { Field } from '../field';

/**
 * gRFC A27: a locality without weight is skipped before its contents are read. grpc-js-xds and Envoy do not skip it.
 */
const skippers: ReadonlySet<Profile> = profileSet('core', 'go', 'java');
const java: ReadonlySet<Profile> = profileSet('java');
const noClients: ReadonlySet<Profile> = new Set();

interface Locality {
  readonly field: Field;
  readonly skippedBy: ReadonlySet<Profile>;
  readonly priority: number;
}

export function localitiesOf(resource: Field): Locality[] {
  return resource
    .at('endpoints')
    .items()
    .map((field) => ({
      field,
      skippedBy: skippersOf(field.at('loadBalancingWeight').numberOr(0)),
      priority: field.at('priority').numberOr(0),
    }));
}

/** grpc-java reads a weight of 2^31 or more as a negative one. */
function skippersOf(weight: number): ReadonlySet<Profile> {
  if (weight === 0) return skippers;
  return weight >= 2 ** 31 ? java : noClients;
}

interface Endpoint {
  readonly field: Field;
  readonly skippedBy: ReadonlySet<Profile>;
}

/** An absent status is UNKNOWN. The codec decodes an unknown status as a number. */
export function isUsable(endpoint: Field): boolean {
  const status = endpoint.at('healthStatus');
  return !status.exists || ['UNKNOWN', 'HEALTHY', 'DRAINING'].includes(status.text);
}

const core = profilesOf('core');
/** They predate gRFC A55, which keeps draining endpoints. */
const withoutDraining = before('core-1.55');

/** C-core drops an endpoint that is not healthy before it reads the address. */
export function endpointsOf(resource: Field): Endpoint[] {
  return localitiesOf(resource).flatMap(({ field, skippedBy }) =>
    field
      .at('lbEndpoints')
      .items()
      .map((endpoint) => {
        return {
          field: endpoint,
          skippedBy: new Set([...skippedBy, ...droppersOf(endpoint)]),
        };
      }),
  );
}

function droppersOf(endpoint: Field): readonly Profile[] {
  if (!isUsable(endpoint)) return core;
  return endpoint.at('healthStatus').text === 'DRAINING' ? withoutDraining : [];
}
