import type { FilterGrammar } from '../../filter/parse-filter';
import { resourceTypes } from '../../xds/resource-type';
import { states } from '../../xds/status';

/** The fields of the search over the fleet, which are those of resources. Words are searched in names and texts. */
export const searchGrammar = {
  fields: {
    type: {
      meaning: 'the resource type, as in type=CDS',
      suggestions: resourceTypes.map(({ service }) => service),
    },
    name: { meaning: 'the name of the resource' },
    status: { meaning: 'the state of the resource at a client, as in status=NACKED', values: states },
    hash: { meaning: 'the first digits of the SHA-256 of the content' },
    address: { meaning: 'an address in the payload, as in address=10.0.0.1:8080' },
    domain: { meaning: 'a domain of a virtual host' },
  },
} as const satisfies FilterGrammar;

/** The fields of the list of clients that hold a resource. Words are searched in the node id and the scope. */
export const holdersGrammar = {
  fields: {
    node: { meaning: 'the node id' },
    scope: { meaning: 'the client scope' },
    status: { meaning: 'the state of the resource at the client, as in status=NACKED', values: states },
    version: { meaning: 'the version that the client ACKed last' },
    hash: { meaning: 'the SHA-256 of the content' },
    error: { meaning: 'the error message' },
    since: { meaning: 'changed within this time, as in since=10m', isAge: true },
  },
} as const satisfies FilterGrammar;
