import { readClusterBalancing } from './cluster-balancing';
import { envoyPolicyOf } from './envoy-policy';
import { FieldReader } from './field-reader';
import type { LbPolicy } from './lb-policy';

/** How a cluster of an Envoy chooses an endpoint by the hash of a request. */
export interface HashBalancing {
  readonly kind: 'ring' | 'maglev';
  readonly minimumRingSize: number;
  readonly maximumRingSize: number;
  readonly tableSize: number;
  readonly usesMurmurHash: boolean;
  readonly usesHostname: boolean;
  /** hash_balance_factor is set, so that the load of the moment counts. */
  readonly isBounded: boolean;
  /** They take the place of those of the route; empty: the route decides. */
  readonly hashPolicies: readonly FieldReader[];
}

const ofType: Readonly<Record<string, HashBalancing['kind']>> = {
  'envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash': 'ring',
  'envoy.extensions.load_balancing_policies.maglev.v3.Maglev': 'maglev',
};
const ofEnum: Readonly<Record<string, HashBalancing['kind']>> = { RING_HASH: 'ring', MAGLEV: 'maglev' };

/** undefined if the cluster does not choose by a hash. */
export function readHashBalancing(cluster: FieldReader): HashBalancing | undefined {
  const { listed } = envoyPolicyOf(readClusterBalancing(cluster));
  if (listed === undefined) {
    const kind = ofEnum[cluster.enumName('lbPolicy', 'ROUND_ROBIN')];
    const own = cluster.object(kind === 'ring' ? 'ringHashLbConfig' : 'maglevLbConfig');
    const common = cluster.object('commonLbConfig')?.object('consistentHashingLbConfig');
    return kind && readFields(kind, own, common);
  }
  const policy = findHashing(listed);
  const kind = ofType[policy?.typeName ?? ''];
  if (policy === undefined || kind === undefined) return undefined;
  const own = FieldReader.open(policy.config, []);
  return readFields(kind, own, own.object('consistentHashingLbConfig'));
}

function findHashing(policy: LbPolicy): LbPolicy | undefined {
  return policy.typeName in ofType
    ? policy
    : policy.inner?.map(findHashing).find((each) => each !== undefined);
}

function readFields(
  kind: HashBalancing['kind'],
  own: FieldReader | undefined,
  common: FieldReader | undefined,
): HashBalancing {
  const factor = common?.number('hashBalanceFactor') ?? own?.number('hashBalanceFactor') ?? 0;
  return {
    kind,
    minimumRingSize: own?.number('minimumRingSize') ?? 1_024,
    maximumRingSize: own?.number('maximumRingSize') ?? 8_388_608,
    tableSize: own?.number('tableSize') ?? 65_537,
    usesMurmurHash: own?.enumName('hashFunction', '') === 'MURMUR_HASH_2',
    usesHostname: [own, common].some((each) => each?.boolean('useHostnameForHashing')),
    isBounded: factor > 0,
    hashPolicies: common?.objects('hashPolicy') ?? [],
  };
}
