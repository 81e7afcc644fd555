import { isJsonObject, type JsonObject } from './json-object';

const parts: Readonly<Record<string, number>> = { HUNDRED: 10_000, TEN_THOUSAND: 100 };

/**
 * Reduces a ClusterLoadAssignment, in proto3 JSON, to what the config dump of an Envoy retains of it. The dump has the
 * endpoints as Envoy uses them: with the effective health instead of that of EDS, without empty localities and without
 * weighted_priority_health, with 0 for an unset weight of a locality, and with drop percentages in parts per million
 * (measured: Envoy 1.36.2 and 1.40.0).
 */
export function endpointsOfDump(assignment: unknown): unknown {
  if (!isJsonObject(assignment)) return assignment;
  const { endpoints, policy, ...rest } = assignment;
  const localities = itemsOf(endpoints).flatMap((locality) => {
    const { lbEndpoints, loadBalancingWeight, ...place } = locality;
    const hosts = itemsOf(lbEndpoints).map(withoutHealth);
    if (hosts.length === 0) return [];
    const isWeighted = loadBalancingWeight !== undefined && loadBalancingWeight !== 0;
    return [{ ...place, lbEndpoints: hosts, ...(isWeighted && { loadBalancingWeight }) }];
  });
  return { ...rest, endpoints: localities, policy: reducePolicy(policy) };
}

function withoutHealth({ healthStatus: _, endpoint, ...rest }: JsonObject): JsonObject {
  if (!isJsonObject(endpoint)) return { ...rest, endpoint };
  const { healthCheckConfig, ...address } = endpoint;
  const isEmpty = isJsonObject(healthCheckConfig) && Object.keys(healthCheckConfig).length === 0;
  return {
    ...rest,
    endpoint: { ...address, ...(!isEmpty && healthCheckConfig !== undefined && { healthCheckConfig }) },
  };
}

function reducePolicy(policy: unknown): JsonObject {
  if (!isJsonObject(policy)) return {};
  const { weightedPriorityHealth: _, dropOverloads, ...rest } = policy;
  const drops = itemsOf(dropOverloads).map(({ dropPercentage, ...drop }) => ({
    ...drop,
    partsPerMillion: partsPerMillion(dropPercentage),
  }));
  return { ...rest, dropOverloads: drops };
}

function partsPerMillion(percentage: unknown): number {
  if (!isJsonObject(percentage)) return 0;
  const { numerator = 0, denominator = 'HUNDRED' } = percentage;
  return Number(numerator) * (parts[String(denominator)] ?? 1);
}

function itemsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
