import type { JsonObject } from '../../diff/json-object';
import { dropPercentOf as dropPercentOfEndpoints, maxRequestsOf } from '../../model/admission';
import { missingFields, type OutlierDetection } from '../../model/outlier-detection';
import type { ClusterConfig } from '../../resolve/xds-config';
import { clientNames, type GrpcClient } from '../../xds/profile';
import { grpcClientOf } from '../grpc-profile';
import type { TreeContext } from './tree-context';
import type { WriteStyle } from './write-style';

/** The percentage of requests that the endpoints of a cluster drop. */
export function dropPercentOf({ children }: ClusterConfig): number {
  return children.kind === 'endpoints' && children.endpoints ? dropPercentOfEndpoints(children.endpoints) : 0;
}

export function clusterFacts(config: ClusterConfig, client: GrpcClient): string[] {
  const { children, balancing } = config;
  const drops = children.kind === 'endpoints' ? (children.endpoints?.dropOverloads ?? []) : [];
  return [
    ...drops.map(
      ({ category, percent }) =>
        `drops ${percent === undefined ? 'a share that cannot be read' : `${percent}%`} of requests as "${category}"`,
    ),
    ...(drops.length > 1 ? [`in order, ${formatPercent(dropPercentOf(config))} in total`] : []),
    `at most ${maxRequestsOf(balancing, client)} requests at once${balancing.maxRequests.length === 0 ? ', by default' : ''}`,
    balancing.reportsLoad ? 'reports its load (LRS)' : 'reports no load',
  ];
}

function formatPercent(percent: number): string {
  return `${Number(percent.toFixed(2))}%`;
}

export function outlierFacts({ balancing }: ClusterConfig, client: GrpcClient): string[] {
  const detection = balancing.outlierDetection;
  if (detection === null) return ['not configured: it ejects nothing'];
  const { successRate, failurePercentage: failures, interval, maxEjectionPercent } = detection;
  const missing = missingFields(detection, client);
  const rate = missing.length > 0 ? null : successRate;
  const off =
    missing.length === 0
      ? []
      : [`success rate: off, because ${clientNames[client]} needs ${missing.join(', ')} to be set`];
  if (rate === null && failures === null)
    return off.length === 0 ? ['both algorithms are off: it ejects nothing'] : ['it ejects nothing', ...off];
  return [
    ...off,
    `evaluated every ${interval}; ejects for ${detection.baseEjectionTime} at first, at most ${maxEjectionPercent}% of endpoints, but at least one`,
    ...(rate === null
      ? []
      : [
          `success rate: below the mean by ${rate.stdevFactor / 1000} standard deviations, of ${rate.minimumHosts} endpoints with ${rate.requestVolume} requests`,
        ]),
    ...(failures === null
      ? []
      : [
          `failures: more than ${failures.threshold}%, of ${failures.minimumHosts} endpoints with ${failures.requestVolume} requests`,
        ]),
  ];
}

/** If a cluster has no outlier detection, C-core writes nothing; Go and Node write their defaults. */
export function writeOutlierDetection(
  { profile, style }: TreeContext,
  { balancing }: ClusterConfig,
): JsonObject {
  const detection = balancing.outlierDetection;
  const client = grpcClientOf(profile);
  if (detection !== null) {
    const isOff = client === 'core' && missingFields(detection, client).length > 0;
    return writeDetection(isOff ? { ...detection, successRate: null } : detection, style);
  }
  if (client === 'core') return {};
  return writeDetection({ ...unconfigured, successRate: null, failurePercentage: null }, style);
}

const unconfigured = {
  interval: '10s',
  baseEjectionTime: '30s',
  maxEjectionTime: '300s',
  maxEjectionPercent: 10,
  ejectsOnFailedConnections: false,
  alwaysEjectsOne: false,
};

function writeDetection(detection: OutlierDetection, { field, duration }: WriteStyle): JsonObject {
  const { successRate, failurePercentage } = detection;
  const renamed = (fields: object | null): JsonObject | undefined =>
    fields === null
      ? undefined
      : Object.fromEntries(Object.entries(fields).map(([name, value]) => [field(name), value]));
  return {
    interval: duration(detection.interval),
    baseEjectionTime: duration(detection.baseEjectionTime),
    maxEjectionTime: duration(detection.maxEjectionTime),
    maxEjectionPercent: detection.maxEjectionPercent,
    successRateEjection: renamed(successRate && withoutUnset(successRate)),
    failurePercentageEjection: renamed(failurePercentage),
  };
}

function withoutUnset({ unset: _, ...fields }: NonNullable<OutlierDetection['successRate']>): object {
  return fields;
}

/**
 * Config of a priority's child. Only DNS is resolved again on request. An absent field means false; Node writes it
 * nevertheless.
 */
export function writeReresolution(client: GrpcClient, isIgnored: boolean): JsonObject {
  if (!isIgnored && client !== 'node') return {};
  return { [client === 'go' ? 'ignoreReresolutionRequests' : 'ignore_reresolution_requests']: isIgnored };
}

/** Drops as other policies were configured with them before they read the resolved config (gRFC A74). */
export function writeDrops({ children }: ClusterConfig): JsonObject[] {
  const drops = children.kind === 'endpoints' ? (children.endpoints?.dropOverloads ?? []) : [];
  return drops.map(({ category, percent }) => ({
    Category: category,
    RequestsPerMillion: Math.round(Math.min(100, percent ?? 0) * 10_000),
  }));
}
