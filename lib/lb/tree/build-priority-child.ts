import type { JsonObject } from '../../diff/json-object';
import { formatLocality } from '../../format/locality';
import type { LocalityEndpoints } from '../../model/endpoints';
import { whySkipped, whyUnused } from '../../resolve/endpoint-use';
import { grpcClientOf, stateWithoutEndpoints } from '../grpc-profile';
import { localityTargetName } from '../locality-name';
import type { ChosenPolicy, PolicyChoice } from './choose-policy';
import type { LbEndpoint, LbNode, ListedPolicy } from './lb-node';
import { addNode, type TreeContext } from './tree-context';
import { hasUsable, type UsedPriority } from './used-priorities';
import { writePolicy } from './write-style';

export function buildPriorityChild(
  context: TreeContext,
  id: string,
  { localities }: UsedPriority,
  choice: PolicyChoice,
): LbNode {
  const { chosen, problem } = choice;
  if (chosen === null) {
    const reason = `the client rejects the cluster: ${problem}`;
    const listed = listOf(choice);
    return addNode(context, { id: `${id}/none`, policy: 'no policy', use: 'ignored', reason, listed });
  }
  if (!chosen.isLocalityPolicy || chosen.inner === null) {
    const endpoints = localities.flatMap((group) => endpointsOf(context, group, chosen));
    return leafNode(context, id, choice, chosen, endpoints);
  }
  const { inner } = chosen;
  const target = buildTargets(context, `${id}/weighted_target`, localities, inner);
  return addNode(context, {
    id: `${id}/${chosen.policy}`,
    policy: chosen.policy,
    facts: chosen.facts,
    listed: listOf(choice),
    config: writeChoice(context, chosen),
    children: [target],
  });
}

/** xds_wrr_locality generates this config at run time: one target for each locality that is used. */
function buildTargets(
  context: TreeContext,
  id: string,
  localities: readonly LocalityEndpoints[],
  inner: PolicyChoice,
): LbNode {
  const targets: Record<string, JsonObject> = {};
  const children = localities.map((group) => {
    const name = localityTargetName(group.locality, context.profile);
    const reason = whyLeftOut(context, group);
    const weight = group.weight ?? 0;
    const { chosen } = inner;
    if (reason === '' && chosen !== null) {
      targets[name] = { weight, [context.style.field('childPolicy')]: [writeChoice(context, chosen)] };
    }
    const endpoints = chosen === null ? [] : endpointsOf(context, group, chosen);
    const node =
      chosen === null
        ? addNode(context, {
            id: `${id}/${name}`,
            policy: 'no policy',
            use: 'ignored',
            reason: inner.problem,
          })
        : leafNode(context, `${id}/${name}`, inner, chosen, endpoints);
    const label = formatLocality(group.locality);
    const weighed = `weight ${group.weight ?? 'not reported'}`;
    if (reason === '') return { ...node, name, label, facts: [weighed, ...node.facts] };
    return { ...node, label, facts: [weighed], use: 'ignored', reason, config: undefined } as const;
  });
  const isEmpty = !children.some(({ use }) => use === 'used');
  return addNode(context, {
    id,
    policy: 'weighted_target',
    facts: isEmpty ? [`no locality has a usable endpoint: ${stateWithoutEndpoints(context.profile)}`] : [],
    config: writePolicy(context.style, 'weighted_target', { targets }),
    children,
  });
}

function whyLeftOut({ profile }: TreeContext, group: LocalityEndpoints): string {
  const client = grpcClientOf(profile);
  const skipped = whySkipped(group, client);
  if (skipped !== '' || hasUsable(group, client)) return skipped;
  // Every client generates targets from the endpoints that its parent passes to it.
  return 'no target: it has no usable endpoint';
}

function leafNode(
  context: TreeContext,
  id: string,
  choice: PolicyChoice,
  chosen: ChosenPolicy,
  endpoints: readonly LbEndpoint[],
): LbNode {
  const isEmpty = !endpoints.some(({ use }) => use === 'used');
  return addNode(context, {
    id: `${id}/${chosen.policy}`,
    policy: chosen.policy,
    facts: [
      ...chosen.facts,
      ...(isEmpty ? [`no usable endpoint: ${stateWithoutEndpoints(context.profile)}`] : []),
    ],
    listed: listOf(choice),
    config: writeChoice(context, chosen),
    endpoints,
  });
}

function listOf({ listed }: PolicyChoice): readonly ListedPolicy[] {
  return listed.length < 2 && listed.every(({ use }) => use === 'used') ? [] : listed;
}

function writeChoice(context: TreeContext, chosen: ChosenPolicy): JsonObject {
  const { policy, config, inner, isCustom = false, durations = [] } = chosen;
  if (isCustom) return { [policy]: config };
  const childPolicy = inner?.chosen ? [writeChoice(context, inner.chosen)] : undefined;
  const written = Object.entries(config).map(([field, value]) => {
    return [
      field,
      durations.includes(field) && typeof value === 'string' ? context.style.duration(value) : value,
    ];
  });
  return writePolicy(context.style, policy, { ...Object.fromEntries(written), childPolicy });
}

function endpointsOf(
  { profile }: TreeContext,
  group: LocalityEndpoints,
  { policy }: ChosenPolicy,
): LbEndpoint[] {
  const client = grpcClientOf(profile);
  const locality = formatLocality(group.locality);
  const skipped = whySkipped(group, client);
  return group.endpoints.map((endpoint) => {
    const reason = skipped || whyUnused(endpoint, client);
    const { address, health } = endpoint;
    // gRFC A42: on a ring, the weights of locality and endpoint are multiplied.
    const weight = policy === 'ring_hash' ? (group.weight ?? 1) * (endpoint.weight ?? 1) : undefined;
    return { address, locality, health, weight, use: reason === '' ? 'used' : 'ignored', reason };
  });
}
