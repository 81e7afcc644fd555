import type { JsonObject } from '../../diff/json-object';
import { FieldReader } from '../../model/field-reader';
import type { RingSize } from '../hash/hash-tables';

export interface PolicyDescription {
  /** The name without "_experimental"; see WriteStyle. */
  readonly policy: string;
  readonly facts: readonly string[];
  /** As in gRPC's service config, with C-core's field names and durations in proto3 JSON form. */
  readonly config: JsonObject;
  /** Names of the fields of `config` that are durations. */
  readonly durations?: readonly string[];
}

/** Below these policies every endpoint has a pick_first of its own (gRFC A61). */
const perEndpoint = 'one pick_first for each endpoint';

const ringSizeCap = 4096;

/** `typeName` is a message of envoy.extensions.load_balancing_policies; `config` is its proto3 JSON. */
export function describePolicy(typeName: string, config: JsonObject): PolicyDescription {
  const fields = FieldReader.open(config, []);
  switch (typeName.split('.').at(-1)) {
    case 'WrrLocality':
      return {
        policy: 'xds_wrr_locality',
        facts: ['READY localities share requests by weight, whatever the health of their endpoints'],
        config: {},
      };
    case 'RoundRobin':
      return {
        policy: 'round_robin',
        facts: ['READY endpoints in turn; their weights are ignored', perEndpoint],
        config: {},
      };
    case 'RingHash':
      return ringHash(fields);
    case 'PickFirst': {
      const shuffles = fields.boolean('shuffleAddressList');
      return {
        policy: 'pick_first',
        facts: [`all requests to the first endpoint that connects${shuffles ? ', in random order' : ''}`],
        config: { shuffleAddressList: shuffles },
      };
    }
    case 'ClientSideWeightedRoundRobin':
      return weightedRoundRobin(fields);
    case 'LeastRequest': {
      const choiceCount = Math.min(10, fields.number('choiceCount') ?? 2);
      return {
        policy: 'least_request',
        facts: [`the endpoint with the fewest requests of ${choiceCount} random READY ones`, perEndpoint],
        config: { choiceCount },
      };
    }
    default:
      return { policy: typeName, facts: [], config };
  }
}

export function describeCustomPolicy(typeName: string): PolicyDescription {
  return {
    policy: typeName,
    facts: ['a policy of the application, with unknown behavior'],
    config: {},
  };
}

/** The sizes of a ring by the config of a described ring_hash, within the cap of gRPC. */
export function readRingSize({ minRingSize, maxRingSize }: JsonObject): RingSize {
  return {
    minimum: Math.min(Number(minRingSize), ringSizeCap),
    maximum: Math.min(Number(maxRingSize), ringSizeCap),
  };
}

function ringHash(fields: FieldReader): PolicyDescription {
  const minRingSize = fields.number('minimumRingSize') ?? 1024;
  const maxRingSize = fields.number('maximumRingSize') ?? 8_388_608;
  const facts = [
    `a ring of ${Math.min(minRingSize, ringSizeCap)} to ${Math.min(maxRingSize, ringSizeCap)} entries, by weight`,
    'endpoints of all localities are on one ring; an endpoint is connected when a request hashes to it',
  ];
  if (Math.max(minRingSize, maxRingSize) > ringSizeCap) facts.push(`sizes are capped at ${ringSizeCap}`);
  return { policy: 'ring_hash', facts, config: { minRingSize, maxRingSize } };
}

/** gRFC A58. */
function weightedRoundRobin(fields: FieldReader): PolicyDescription {
  const reported = (name: string): string | undefined => fields.string(name) || undefined;
  const durations = {
    oobReportingPeriod: reported('oobReportingPeriod'),
    blackoutPeriod: reported('blackoutPeriod'),
    weightExpirationPeriod: reported('weightExpirationPeriod'),
    weightUpdatePeriod: reported('weightUpdatePeriod'),
  };
  const isOob = fields.boolean('enableOobLoadReport');
  const penalty = fields.number('errorUtilizationPenalty');
  const from = isOob ? `out of band every ${durations.oobReportingPeriod ?? '10s'}` : 'with their responses';
  const { blackoutPeriod = '10s', weightExpirationPeriod = '180s', weightUpdatePeriod = '1s' } = durations;
  return {
    policy: 'weighted_round_robin',
    facts: [
      `endpoints are weighted by the utilization that they report ${from}, not by EDS`,
      `a weight applies after ${blackoutPeriod}, and expires ${weightExpirationPeriod} after the last report`,
      `weights are recomputed every ${weightUpdatePeriod}, at least 100 ms; the error penalty is ${penalty ?? 1}`,
      perEndpoint,
    ],
    // Clients write the fields that they received, and apply defaults when they read them.
    config: {
      enableOobLoadReport: isOob || undefined,
      ...durations,
      errorUtilizationPenalty: penalty,
    },
    durations: Object.keys(durations),
  };
}
